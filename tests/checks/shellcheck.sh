#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All shell scripts pass shellcheck.
set -uo pipefail
command -v shellcheck >/dev/null || { echo "shellcheck is not installed"; exit 77; }
mapfile -t scripts < <(git ls-files -co --exclude-standard | while IFS= read -r file; do
    [ -f "$file" ] && head -c 100 "$file" | head -n 1 | grep -aqE '^#!.*[ /](ba)?sh( |$)' && echo "$file"
done)
[ ${#scripts[@]} -gt 5 ] || { echo "found only ${#scripts[@]} scripts"; exit 1; }
shellcheck -x "${scripts[@]}" completions/longhaul.bash
