#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Start-up of each program (--version), and of /bin/true beside it: minimum and median of RUNS (30).
#   LONGHAUL_BIN=build/tools tests/bench/startup.sh
set -euo pipefail
runs=${RUNS:-30}
measure() {
    local name=$1 start end i
    shift
    for ((i = 0; i < runs; i++)); do
        start=${EPOCHREALTIME/./}
        "$@" >/dev/null
        end=${EPOCHREALTIME/./}
        echo $((end - start))
    done | sort -n | awk -v name="$name" '{ t[NR] = $1 }
        END { printf "%-16s min %6.1f ms   median %6.1f ms\n", name, t[1] / 1000, t[int((NR + 1) / 2)] / 1000 }'
}
measure /bin/true /bin/true
for program in "${LONGHAUL_BIN:?}"/*; do
    if [ -f "$program" ] && [ -x "$program" ]; then measure "$(basename "$program")" "$program" --version; fi
done
