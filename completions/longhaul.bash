# SPDX-License-Identifier: BSD-3-Clause
# Bash completion of all Longhaul programs: sub-commands and long options are read from the program's
# own --help, so they never disagree with it; everything else completes to files.
# shellcheck shell=bash

_longhaul() {
    local current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~/$HOME} help line subcommand=
    COMPREPLY=()
    help=$("$program" --help 2>/dev/null)
    local -a subcommands=()
    local in_subcommands=
    while IFS= read -r line; do
        case $line in
            Sub-commands:) in_subcommands=1 ;;
            "  "[a-z]*) [ -n "$in_subcommands" ] && read -r line _ <<<"$line" && subcommands+=("$line") ;;
            *) in_subcommands= ;;
        esac
    done <<<"$help"
    local word
    for word in "${subcommands[@]}"; do
        [ "$COMP_CWORD" -gt 1 ] && [ "$word" = "${COMP_WORDS[1]}" ] && subcommand=$word
    done
    [ -n "$subcommand" ] && help=$("$program" "$subcommand" --help 2>/dev/null)
    if [[ $current == -* ]]; then
        # "--[no-]progress" stands for both forms.
        local options
        options=$(grep -oE -- '--(\[no-\])?[a-z][a-z0-9-]*' <<<"$help" | sort -u |
            sed -n 's/^--\[no-\]\(.*\)/--\1\n--no-\1/p; /\[no-\]/!p' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        [ "$COMP_CWORD" -eq 1 ] &&
            mapfile -t COMPREPLY < <(compgen -W "${subcommands[*]}" -- "$current")
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -o filenames -F _longhaul dedup-minhash tok-shard train-run ckpt-reshard nccl-probe \
    gpu-health job-guard
