#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lab.sh - a real Slurm cluster of several virtual hosts on one machine, for tests
#   lab.sh up                       start it; does nothing when it already runs
#   lab.sh down                     end it; nothing stays behind but files below $LAB
#   lab.sh with CMD...              up, run CMD on the controller, down; also when killed with -9
#   lab.sh around CMD...            like with, but CMD runs here and calls lab.sh itself
#   lab.sh run CMD...               run CMD on the controller
#   lab.sh on HOST CMD...           run CMD on a host (n1, n2, ...)
#   lab.sh crash HOST [power|panic] end a host at once; power: without a FIN on any connection
#   lab.sh boot HOST                start it again
#   lab.sh cut HOST, heal HOST      pull the cable of a host, plug it in again
#   lab.sh recipe                   print netns or plain; exit 77 and the reason when neither runs
#   lab.sh status
# Environment: LAB (folder for everything, default $TMPDIR/slurm-lab), LAB_NODES=5, LAB_CPUS=4,
# LAB_RECIPE=netns|plain, LAB_SHARE="DIR..." (further folders that all hosts see), LAB_CONF_EXTRA
# (file appended to slurm.conf), LAB_NET=10.77.0 (netns), LAB_PORT=17100 (plain: base port).
set -u
SELF=$(readlink -f "$0")
export LAB=${LAB:-${TMPDIR:-/tmp}/slurm-lab} LAB_NODES=${LAB_NODES:-5} LAB_CPUS=${LAB_CPUS:-4}
export LAB_NET=${LAB_NET:-10.77.0} LAB_PORT=${LAB_PORT:-17100} LAB_SHARE=${LAB_SHARE:-}
export LAB_CONF_EXTRA=${LAB_CONF_EXTRA:-} SLURM_CONF=$LAB/etc/slurm.conf
export LAB_UID=${LAB_UID:-$(id -u)} LAB_GID=${LAB_GID:-$(id -g)} LAB_USER=${LAB_USER:-$(id -un)}
# shellcheck disable=SC2034 # used by netns.sh
read -ra FOLDERS <<<"$LAB_SHARE"
export PATH=$PATH:/usr/sbin:/sbin
HERE=${SELF%/*}

die() {
    echo "lab: error: $*" >&2
    exit 1
}

# missing_program: the first program that the lab needs and this machine lacks.
missing_program() {
    local program
    for program in slurmctld slurmd srun sbatch scontrol munged setsid flock; do
        command -v "$program" >/dev/null || { echo "$program" && return; }
    done
}

# namespaces_work: may this user make namespaces with a bridge and mounts in them?
namespaces_work() {
    command -v ip nsenter unshare mount >/dev/null || return 1
    # shellcheck disable=SC2046,SC2016
    unshare $([ "$LAB_UID" = 0 ] || echo -r) -m -n -p -u -i --fork --kill-child sh -c \
        'ip link add br0 type bridge && mount -t tmpfs t /run && mount -t proc proc /proc &&
         hostname lab && ip link add v0 type veth peer name v1' >/dev/null 2>&1
}

# choose_recipe: sets LAB_RECIPE; a lab that is up keeps the recipe it was started with.
choose_recipe() {
    local missing
    if [ -n "${LAB_RECIPE:-}" ]; then return; fi
    if [ -e "$LAB/ready" ] && [ -s "$LAB/recipe" ]; then
        LAB_RECIPE=$(cat "$LAB/recipe")
        return
    fi
    missing=$(missing_program)
    if [ -n "$missing" ]; then
        echo "skipped: $missing not found (packages slurmctld slurmd slurm-client munge)"
        exit 77
    fi
    LAB_RECIPE=plain
    if namespaces_work; then LAB_RECIPE=netns; fi
}

# idle_nodes [PREFIX...]: how many hosts are ready for work.
idle_nodes() {
    "$@" sinfo -h -N -p debug -t idle,mix,alloc -o %N 2>/dev/null | sort -u | wc -l
}

# await_ready TICKS: waits for $LAB/ready, at most TICKS * 50 ms.
await_ready() {
    local tick
    for ((tick = 0; tick < $1; tick++)); do
        [ ! -e "$LAB/ready" ] || return 0
        [ ! -e "$LAB/failed" ] || return 1
        sleep 0.05
    done
    return 1
}

# stay: sleeps for ever; with an owner (a pipe on stdin) returns when it is gone.
stay() {
    if [ -p /dev/stdin ]; then
        while read -r -t 1000 _ || [ $? -gt 128 ]; do :; done
        return
    fi
    while :; do
        sleep 1000 &
        wait
    done
}

# up [OWNER]: OWNER is a named pipe whose last writer ends the lab by going away.
up() {
    mkdir -p "$LAB"
    exec 9>"$LAB/lock"
    flock 9
    if recipe_running; then return; fi
    rm -rf "$LAB"/{ready,failed,outer.pid,run,hosts,state,log}
    write_conf
    echo "$LAB_RECIPE" >"$LAB/recipe"
    if ! recipe_up "${1:-}"; then
        tail -n 20 "$LAB"/log/*.log >&2
        die "start failed"
    fi
    exec 9>&-
}

down() {
    recipe_down
    rm -f "$LAB/recipe"
}

run_here() { exec "$@"; }

# with run_here|recipe_run CMD...: up, CMD, down. The lab's life line is a pipe that only this
# process holds open for writing.
with() {
    local line=$LAB/life.$$ code
    mkdir -p "$LAB"
    mkfifo "$line"
    exec 8<>"$line" # read and write: blocks for nobody
    trap 'rm -f "$line"; down' EXIT
    trap 'exit 130' INT TERM HUP
    up "$line"
    (export LAB_ID=$LAB LAB_NODE=driver && "$@") 8>&- <&0 &
    wait $!
    code=$?
    exit "$code"
}

main() {
    local command=$1
    shift
    case $command in
        up) up ;;
        down) down ;;
        with) with recipe_run "$@" ;;
        around) with run_here "$@" ;;
        recipe) echo "$LAB_RECIPE" ;;
        run | on | crash | boot | cut | heal) recipe_"$command" "$@" ;;
        status) recipe_running && recipe_run sinfo -N -p debug -o '%N %T %E' ;;
        _outer) outer ;;
        _boot) boot "$@" ;;
        _host) host "$@" ;;
        _crash) crash "$@" ;;
        _on) on_host "$@" ;;
        _watch) watch ;;
        *) die "unknown command $command" ;;
    esac
}

if [ $# -eq 0 ]; then
    sed -n '3,18s/^# \{0,1\}//p' "$SELF"
    exit 2
fi
choose_recipe
export LAB_RECIPE
# shellcheck source=/dev/null
. "$HERE/identity.sh" && . "$HERE/conf.sh" && . "$HERE/$LAB_RECIPE.sh"
main "$@"
