#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# No program maps a GPU or MPI library just to print its help: they are loaded at first use.
set -uo pipefail
failed=0
for program in $LONGHAUL_PROGRAMS; do
    maps=$(LD_TRACE_LOADED_OBJECTS=1 "$LONGHAUL_BIN/$program" --help)
    [ -n "$maps" ] || { echo "$program: the loader listed nothing"; failed=1; }
    if grep -E 'libcublas|libcudnn|libnccl' <<<"$maps"; then
        echo "$program loads the library above at start"
        failed=1
    fi
done
exit "$failed"
