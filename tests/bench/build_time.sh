#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Seconds to build the programs, and then everything with tests, from clean and without ccache.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CCACHE_DISABLE=1
for tests in false true; do
    SECONDS=0
    meson setup "$folder/$tests" -Dtests=$tests >/dev/null
    ninja -C "$folder/$tests" >/dev/null
    echo "tests=$tests: $SECONDS s on $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
done
