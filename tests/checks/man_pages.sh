#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Man pages are free of markup mistakes, every program has one, and it names exactly the options of
# --help (of the program and of all its sub-commands that have no page of their own), except the common
# ones of longhaul(7).
set -uo pipefail

command -v mandoc >/dev/null || { echo "mandoc is not installed"; exit 77; }
failed=0
complain() { echo "$*"; failed=1; }

for page in "$LONGHAUL_BUILD"/man/*.[1-8]; do
    mandoc -T lint -W warning "$page" >/dev/null 2>&1 ||
        { complain "$page:"; mandoc -T lint -W warning "$page"; }
    grep -q '@[A-Z]*@' "$page" && complain "$page: an @VARIABLE@ was not replaced"
done

subcommands() { sed -n '/^Sub-commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$1"; }
options_of_help() {
    grep -oE '^  (-[a-zA-Z], )?--(\[no-\])?[a-z][a-z0-9-]*' <<<"$1" | grep -oE -- '--.*' | sed 's/\[no-\]//'
}
options_of_page() {
    mandoc -T ascii "$1" | sed 's/.\x08//g' | grep -oE -- '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]*' |
        grep -oE -- '--.*' | sort -u
}

# $1: a page; $2: the options of the help texts that it stands for.
check_options() {
    local page=$1 all=$2 page_options option
    page_options=$(options_of_page "$page")
    while IFS= read -r option; do
        case $option in --help | --version | --quiet | --verbose | --progress) continue ;; esac
        grep -qxF -- "$option" <<<"$page_options" || complain "$page: $option of --help is missing"
    done < <(sort -u <<<"$all")
    for option in $page_options; do
        case $option in --no-progress) continue ;; esac
        grep -qxF -- "$option" <<<"$all" || grep -qF -- "$option" tests/checks/foreign_options.txt ||
            complain "$page: $option is not in --help (foreign options: tests/checks/foreign_options.txt)"
    done
}

for program in $LONGHAUL_PROGRAMS; do
    page=$(find "$LONGHAUL_BUILD/man" -name "$program.[18]")
    [ -n "$page" ] || { complain "$program has no man page"; continue; }
    help=$("$LONGHAUL_BIN/$program" --help)
    all=$(options_of_help "$help")
    for subcommand in $(subcommands "$help"); do
        options=$(options_of_help "$("$LONGHAUL_BIN/$program" "$subcommand" --help)")
        own_page=$LONGHAUL_BUILD/man/$program-$subcommand.1
        if [ -e "$own_page" ]; then
            check_options "$own_page" "$options"
        else
            all+=$'\n'$options
        fi
    done
    check_options "$page" "$all"
done
exit "$failed"
