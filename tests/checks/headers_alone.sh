#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Headers compile alone, with the include folders of the build: those of the last commit, or all with
# LONGHAUL_LONG=1.
set -euo pipefail

mapfile -t includes < <(python3 - <<'PY'
import json, os, shlex
folders = {}
for entry in json.load(open(os.path.join(os.environ["LONGHAUL_BUILD"], "compile_commands.json"))):
    words = shlex.split(entry["command"])
    for word, following in zip(words, words[1:] + [""]):
        if word.startswith("-I/"):
            folders[word[2:]] = None
        elif word == "-isystem":
            folders[following] = None
folders.pop("/usr/include", None)   # -isystem /usr/include breaks #include_next
print("\n".join(word for folder in folders for word in ("-isystem", folder)))
PY
)
compile_alone() {
    local header=$1 foreign
    shift
    # Headers over an optional library are built only where that library is.
    for foreign in cuda_runtime_api.h cublasLt.h nccl.h cudnn.h; do
        if grep -q "#include <$foreign>" "$header" &&
            ! g++ -E "$@" -x c++ - <<<"#include <$foreign>" >/dev/null 2>&1; then
            echo "$header: left out, <$foreign> is not installed"
            return 0
        fi
    done
    g++ -std=c++20 -fsyntax-only -Wall -Wextra -fopenmp -I. "$@" -x c++ - <<<"#include \"$header\"" ||
        { echo "$header does not compile alone"; return 1; }
}
export -f compile_alone
if [ "${LONGHAUL_LONG:-0}" = 1 ] || ! git rev-parse -q --verify HEAD~1 >/dev/null; then
    headers=$(git ls-files -co --exclude-standard 'lib/*.h' 'kernels/*.h')
else
    headers=$(git diff --name-only --diff-filter=d HEAD~1 -- 'lib/*.h' 'kernels/*.h')
fi
[ -n "$headers" ] || { echo "no header changed in the last commit"; exit 0; }
echo "$headers" |
    xargs -P "$(nproc)" -I{} bash -c 'compile_alone "$@"' - {} "${includes[@]}"
