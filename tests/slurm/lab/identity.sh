# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Who is who: pid files that hold "pid starttime", so that a recycled pid is never taken for ours.

# start_time PID: the 22nd field of /proc/PID/stat (clock ticks since boot); fails for a zombie.
start_time() {
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    stat=${stat##*) } # the command's name may hold blanks and brackets
    # shellcheck disable=SC2086 # split into fields on purpose
    set -- $stat
    [ "$1" != Z ] && echo "${20}"
}

# own_pid: the pid of this process as the mounted /proc shows it (after unshare -p: the outer one).
own_pid() {
    local pid
    read -r pid _ </proc/self/stat && echo "$pid"
}

# note_pid FILE: writes "pid starttime" of this process, complete or not at all.
note_pid() {
    local pid
    read -r pid _ </proc/self/stat
    echo "$pid $(start_time "$pid")" >"$1.new" && mv "$1.new" "$1"
}

# live_pid FILE: prints the pid noted in FILE while that very process lives. Refuses where /proc
# belongs to another PID namespace than the one in which kill would act.
live_pid() {
    local self pid started
    read -r self _ </proc/self/stat
    [ "$self" = "$BASHPID" ] || return 1
    { read -r pid started <"$1"; } 2>/dev/null || return 1
    [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] && echo "$pid"
}
