#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# compile.sh RESOURCES NVCC ARG...: runs nvcc with ptxas' resource report on; the report goes to the file
# RESOURCES, which tests/gpu/ptxas.sh checks, everything else to stderr.
resources=$1
shift
"$@" -Xptxas=-v 2>"$resources.all"
status=$?
report='^ptxas info|bytes stack frame|^$'
grep -E "$report" "$resources.all" >"$resources"
grep -vE "$report" "$resources.all" >&2
rm -f "$resources.all"
exit $status
