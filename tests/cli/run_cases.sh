#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Golden tests of one program: run_cases.sh TOOL [CASE...]
# Each tests/cli/TOOL/CASE.sh runs in an empty folder with the built programs first in PATH, $DATA =
# tests/data and $CASE_DIR = tests/cli/TOOL. Its stdout must equal CASE.stdout, its stderr CASE.stderr
# (or, line by line, the globs of CASE.stderr.glob), its exit code CASE.exit; a missing file means
# empty, or 0. A script that exits 77 is skipped and says why on stdout.
# LONGHAUL_ACCEPT=1 rewrites the expected files; read the diff before you commit it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$1
shift
export CASE_DIR=$here/$tool
DATA=$(cd "$here/../data" && pwd)
export DATA
export PATH=${LONGHAUL_BIN:?the folder of the built programs}:$PATH
export LC_ALL=C.UTF-8 TZ=UTC
unset "${!SLURM_@}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The lines of $1 must match the patterns in $2, one for one.
matches_globs() {
    local line pattern
    while IFS= read -r line <&3 || [ -n "$line" ]; do
        IFS= read -r pattern <&4 || return 1
        # shellcheck disable=SC2053  # the pattern is a glob on purpose
        [[ $line == $pattern ]] || return 1
    done 3<"$1" 4<"$2"
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

accept() {
    local base=$CASE_DIR/$1 code=$2
    rm -f "$base.stdout" "$base.exit"
    [ -s "$scratch/stdout" ] && cp "$scratch/stdout" "$base.stdout"
    [ "$code" -ne 0 ] && echo "$code" >"$base.exit"
    [ -e "$base.stderr.glob" ] && return
    rm -f "$base.stderr"
    [ -s "$scratch/stderr" ] && cp "$scratch/stderr" "$base.stderr"
}

# Prints what differs from the expected files; nothing when all is as it should be.
differences() {
    local base=$CASE_DIR/$1 code=$2 expected_code=0 stream
    [ -e "$base.exit" ] && expected_code=$(<"$base.exit")
    [ "$code" -eq "$expected_code" ] || echo "exit code $code, expected $expected_code"
    if [ -e "$base.stderr.glob" ]; then
        matches_globs "$scratch/stderr" "$base.stderr.glob" ||
            { echo "stderr does not match $1.stderr.glob:"; cat "$scratch/stderr"; }
    fi
    for stream in stdout stderr; do
        [ "$stream" = stderr ] && [ -e "$base.stderr.glob" ] && continue
        local expected=/dev/null
        [ -e "$base.$stream" ] && expected=$base.$stream
        diff -u --label "expected $stream" --label "actual $stream" "$expected" "$scratch/$stream"
    done
}

run_case() {
    local name=$1 number=$2 code report
    rm -rf "$scratch/work"
    mkdir "$scratch/work"
    (cd "$scratch/work" && TMPDIR=$scratch exec bash "$CASE_DIR/$name.sh") \
        >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    if [ "$code" -eq 77 ]; then
        echo "ok $number $name # SKIP $(head -n 1 "$scratch/stdout")"
        return
    fi
    [ -n "${LONGHAUL_ACCEPT:-}" ] && accept "$name" "$code"
    report=$(differences "$name" "$code")
    if [ -z "$report" ]; then
        echo "ok $number $name"
    else
        echo "not ok $number $name"
        while IFS= read -r line; do echo "# $line"; done <<<"$report"
        failed=1
    fi
}

if [ $# -eq 0 ]; then
    cases=()
    for script in "$CASE_DIR"/*.sh; do cases+=("$(basename "$script" .sh)"); done
else
    cases=("$@")
fi
echo "1..${#cases[@]}"
number=0
failed=0
for name in "${cases[@]}"; do run_case "$name" $((++number)); done
exit "$failed"
