#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --help, --version and mistakes behave alike in every program and sub-command.
set -uo pipefail

failed=0
complain() { echo "$*"; failed=1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 3

# $1: the command line as users type it; the rest: how to run it.
check_help() {
    local name=$1
    shift
    "$@" --help >out 2>err </dev/null || complain "$name --help: exit code $?"
    head -n 1 out | grep -q "^Usage: $name" || complain "$name --help: no 'Usage: $name': $(head -n 1 out)"
    [ -s err ] && complain "$name --help writes to stderr"
    awk 'length > 110 { exit 1 }' out || complain "$name --help: a line is longer than 110"
    "$@" --no-such-option >out 2>err </dev/null
    [ $? -eq 2 ] || complain "$name --no-such-option: exit code is not 2"
    if [ "$(wc -l <err)" -ne 1 ] || [ -s out ]; then
        complain "$name --no-such-option: not one line on stderr"
    fi
    grep -q "Try '.* --help'" err || complain "$name --no-such-option: no way on: $(<err)"
}

for program in $LONGHAUL_PROGRAMS; do
    path=$LONGHAUL_BIN/$program
    check_help "$program" "$path"
    [[ $("$path" --version) == "$program (Longhaul) "* ]] || complain "$program --version"
    "$path" --help >/dev/full 2>err
    [ $? -eq 3 ] || complain "$program --help >/dev/full: exit code is not 3"
    for subcommand in $("$path" --help | sed -n '/^Sub-commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
        check_help "$program $subcommand" "$path" "$subcommand"
    done
done
exit "$failed"
