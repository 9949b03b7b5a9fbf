#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy on the C++ files of the last commit (at most 6), or on all with LONGHAUL_LONG=1.
set -uo pipefail
tool=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "clang-tidy is not installed"; exit 77; }
if [ "${LONGHAUL_LONG:-0}" = 1 ]; then
    files=$(git ls-files 'lib/*.cpp' 'tools/*.cpp' 'kernels/*.cpp')
else
    git rev-parse -q --verify HEAD~1 >/dev/null || { echo "no earlier commit to compare with"; exit 77; }
    files=$(git diff --name-only --diff-filter=d HEAD~1 -- 'lib/*.cpp' 'tools/*.cpp' 'kernels/*.cpp' | head -n 6)
fi
[ -n "$files" ] || { echo "no C++ file changed in the last commit"; exit 0; }
# Only files that this build compiles have a compile command.
known=$(python3 -c "import json, os; [print(os.path.normpath(os.path.join(e['directory'], e['file']))) for e in json.load(open('$LONGHAUL_BUILD/compile_commands.json'))]")
for file in $files; do grep -qxF "$PWD/$file" <<<"$known" && echo "$file"; done |
    xargs -r -P "$(nproc)" -n 1 "$tool" -p "$LONGHAUL_BUILD" --quiet --warnings-as-errors='*' 2>&1 |
    grep -vE 'warnings? generated|Suppressed|Use -header-filter' >"$LONGHAUL_BUILD/clang-tidy.log"
cat "$LONGHAUL_BUILD/clang-tidy.log"
! grep -q 'error:' "$LONGHAUL_BUILD/clang-tidy.log"
