# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Recipe B: no namespaces and no root. N slurmd of one user on 127.0.0.1, told apart by port. The
# "hosts" share host name, /tmp and /dev/shm; links cannot be cut. Used where recipe A cannot run.

# Ranks of two "hosts" would collide in the shared-memory files of Open MPI's vader transport.
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo

conf_addresses() {
    echo "SlurmctldHost=localhost(127.0.0.1)"
    echo "SlurmctldPort=$LAB_PORT"
}

# TmpFS per node: the pmix plugin keeps its sockets there.
conf_paths() {
    echo "SlurmdSpoolDir=$LAB/hosts/%n/spool"
    echo "SlurmdPidFile=$LAB/run/slurmd.%n.pid"
    echo "TmpFS=$LAB/hosts/%n/tmp"
}

conf_nodes() {
    local i
    for i in $(seq "$LAB_NODES"); do
        mkdir -p "$LAB/hosts/n$i/spool" "$LAB/hosts/n$i/tmp"
    done
    echo "NodeName=n[1-$LAB_NODES] NodeHostname=localhost NodeAddr=127.0.0.1" \
        "Port=[$((LAB_PORT + 1))-$((LAB_PORT + LAB_NODES))] CPUs=$LAB_CPUS RealMemory=4000" \
        "Gres=gpu:2 State=UNKNOWN"
}

# with_environment LINE1 LINE2: pids whose environment holds both lines exactly. SLURM_CONF alone
# would also match the test that drives the lab.
with_environment() {
    local file
    grep -lzxF -- "$1" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        grep -qzxE -- "$2" "$file" 2>/dev/null && file=${file#/proc/} && echo "${file%/environ}"
    done
}

# lab_processes [NODE]: daemons and step managers carry LAB_ID and LAB_NODE, tasks what Slurm set.
lab_processes() {
    with_environment "LAB_ID=$LAB" "LAB_NODE=${1:-.*}"
    with_environment "SLURM_CONF=$SLURM_CONF" "SLURMD_NODENAME=${1:-n[0-9]+}"
}

kill_processes() {
    local pids
    mapfile -t pids < <(lab_processes "$@")
    [ "${#pids[@]}" = 0 ] || kill -9 "${pids[@]}" 2>/dev/null
}

# daemon NODE CMD...: starts a daemon that can be recognised later.
daemon() {
    local node=$1
    shift
    LAB_ID=$LAB LAB_NODE=$node "$@" 8>&- 9>&-
}

recipe_up() {
    local owner=${1:-/dev/null} i
    daemon ctl munged --force --socket="$LAB/run/munge.sock" --key-file="$LAB/etc/munge.key" \
        --pid-file="$LAB/run/munged.pid" --log-file="$LAB/log/munged.log" \
        --seed-file="$LAB/run/munged.seed" 2>/dev/null || return 1
    daemon ctl slurmctld -f "$SLURM_CONF" || return 1
    for i in $(seq "$LAB_NODES"); do recipe_boot "n$i" || return 1; done
    if [ "$owner" != /dev/null ]; then
        setsid "$SELF" _watch <"$owner" >/dev/null 2>&1 8>&- 9>&- &
    fi
    for i in $(seq 300); do
        [ "$(idle_nodes)" != "$LAB_NODES" ] || { touch "$LAB/ready" && return; }
        sleep 0.1
    done
    recipe_down
    return 1
}

# watch: ends the lab when the process that owns it is gone (end of file on stdin).
watch() {
    stay
    recipe_down
}

recipe_down() {
    local round
    for round in 1 2 3 4 5; do
        kill_processes
        [ -n "$(lab_processes)" ] || break
        sleep "0.0$round"
    done
    rm -f "$LAB"/run/*.pid "$LAB/ready"
}

recipe_running() { [ -e "$LAB/ready" ] && [ -n "$(with_environment "LAB_ID=$LAB" "LAB_NODE=ctl")" ]; }
recipe_run() { exec "$@"; }
recipe_on() {
    shift
    exec "$@"
}
recipe_crash() { kill_processes "$1"; }
recipe_boot() { daemon "$1" slurmd -N "$1" -f "$SLURM_CONF"; }
recipe_cut() { die "cut needs namespaces (recipe A)"; }
recipe_heal() { die "heal needs namespaces (recipe A)"; }
