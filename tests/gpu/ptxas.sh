#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ptxas.sh FILE...: prints registers, shared memory and spills of every kernel and architecture from the
# reports of the build, and fails when a kernel spills registers to memory.
set -euo pipefail
[ $# -gt 0 ]
cat "$@" | c++filt | awk '
    /Compiling entry function/ {
        match($0, /\047.*\047 for/); kernel = substr($0, RSTART + 1, RLENGTH - 6)
        gsub(/\(anonymous namespace\)::|longhaul::(kernels|tensor)::(cuda::)?|void /, "", kernel)
        sub(/\(.*/, "", kernel)
        match($0, /sm_[0-9a-z]+/); arch = substr($0, RSTART, RLENGTH)
    }
    /bytes stack frame/ { spill = $5 + $9 }
    /Used [0-9]+ registers/ {
        match($0, /Used [0-9]+/); registers = substr($0, RSTART + 5, RLENGTH - 5)
        shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH - 11) : 0
        printf "%-52s %-7s %4d registers %6d B shared %4d B spilled\n", kernel, arch, registers, shared, spill
        total++; spilled += spill > 0
    }
    END {
        printf "%d kernels, %d spill\n", total, spilled
        exit total == 0 || spilled > 0
    }'
