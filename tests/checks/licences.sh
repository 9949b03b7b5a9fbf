#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every source names its licence; GPL code stays in slurm-agent, the only program that needs libslurm.
set -uo pipefail
failed=0
complain() { echo "$*"; failed=1; }

while IFS= read -r file; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || complain "$file: no SPDX line"
    if head -n 3 "$file" | grep -q 'Identifier: GPL'; then
        case $file in
            lib/slurmapi/* | tools/slurm-agent* | tools/slurm_agent*) ;;
            *) complain "$file: GPL outside slurm-agent" ;;
        esac
    fi
done < <(git ls-files -co --exclude-standard | grep -E '\.(cpp|h|cu|cuh|sh|py|pl|in)$' | grep -v '^tests/data/')

for program in $LONGHAUL_PROGRAMS; do
    needed=$(readelf -d "$LONGHAUL_BIN/$program" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
    [ -n "$needed" ] || complain "$program: no libraries found by readelf"
    if [ "$program" != slurm-agent ] && grep -q libslurm <<<"$needed"; then
        complain "$program is linked with libslurm (GPL)"
    fi
    grep -qE 'libcublas|libcudnn|libnccl|libnvidia|libcuda\.' <<<"$needed" &&
        complain "$program is linked with a GPU library: load it at first use"
done
exit "$failed"
