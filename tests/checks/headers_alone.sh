#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles alone, with the include folders of the build.
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
    local header=$1
    shift
    g++ -std=c++20 -fsyntax-only -Wall -Wextra -fopenmp -I. "$@" -x c++ - <<<"#include \"$header\"" ||
        { echo "$header does not compile alone"; return 1; }
}
export -f compile_alone
git ls-files -co --exclude-standard 'lib/*.h' 'kernels/*.h' |
    xargs -P "$(nproc)" -I{} bash -c 'compile_alone "$@"' - {} "${includes[@]}"
