# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Recipe A: every virtual host has its own network, host name, processes, mounts and IPC.
#
# One outer set of namespaces holds a bridge, munged, slurmctld and the hosts. Its PID 1 is a shell
# loop: kill -9 of that one process makes the kernel end every process, link and mount of the lab,
# so nothing can stay behind. A host is a second set inside: a veth into the bridge, tmpfs on /tmp,
# /dev/shm and /run, and $LAB bound back in its place (the parallel file system).

ROOTLESS=1
[ "$LAB_UID" = 0 ] && ROOTLESS=
# A single-uid user namespace forbids setgroups(), which slurmd running as uid 0 calls: daemons and
# clients then run in a nested user namespace under the user's real uid.
AS=()
[ -z "$ROOTLESS" ] || AS=(unshare -U "--map-user=$LAB_UID" "--map-group=$LAB_GID" --)
NAMESPACES=(-m -n -p -u -i --fork --kill-child)

conf_addresses() { echo "SlurmctldHost=ctl($LAB_NET.254)"; }

conf_paths() {
    echo "SlurmdSpoolDir=$LAB/hosts/%n/spool"
    echo "SlurmdPidFile=$LAB/hosts/%n/slurmd.pid"
}

conf_nodes() {
    local i
    for i in $(seq "$LAB_NODES"); do
        echo "NodeName=n$i NodeAddr=$LAB_NET.$i CPUs=$LAB_CPUS RealMemory=4000 Gres=gpu:2" \
            "State=UNKNOWN"
    done
}

# inouter CMD...: becomes CMD inside the outer namespaces, in the same working directory.
inouter() {
    local pid
    pid=$(live_pid "$LAB/outer.pid") || die "not running"
    # shellcheck disable=SC2016 # $0 and $@ belong to the inner shell
    exec nsenter -t "$pid" ${ROOTLESS:+-U --preserve-credentials} -m -n -p -u -i -- \
        sh -c 'cd "$0" 2>/dev/null; exec "$@"' "$PWD" "$@"
}

# hide_folders: private /tmp and /dev/shm; the shared folders come back through descriptors.
hide_folders() {
    local folder fd fds=()
    for folder in "$LAB" "${FOLDERS[@]}"; do
        exec {fd}<"$folder"
        fds+=("$fd")
    done
    mount -t tmpfs -o mode=1777 tmpfs /tmp
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    for folder in "$LAB" "${FOLDERS[@]}"; do
        fd=${fds[0]}
        fds=("${fds[@]:1}")
        mkdir -p "$folder"
        mount -c --bind "/proc/self/fd/$fd" "$folder" # -c: keep the link to the hidden folder
        exec {fd}<&-
    done
}

# mounts ctl|HOST: makes a fresh mount namespace the lab's, or a host's, own.
mounts() {
    mount --make-rprivate / 2>/dev/null
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys 2>/dev/null || true
    [ "$1" = ctl ] || hide_folders
    mount -t tmpfs -o mode=755 tmpfs /run
    mount --bind "$LAB/etc/hosts" /etc/hosts
    hostname "$1"
}

write_hosts() {
    local i
    echo "127.0.0.1 localhost"
    echo "$LAB_NET.254 ctl"
    for i in $(seq "$LAB_NODES"); do echo "$LAB_NET.$i n$i"; done
}

recipe_up() {
    local owner=${1:-/dev/null}
    write_hosts >"$LAB/etc/hosts"
    setsid unshare ${ROOTLESS:+-r} "${NAMESPACES[@]}" "$SELF" _outer \
        <"$owner" >"$LAB/log/outer.log" 2>&1 8>&- 9>&- &
    await_ready 1200 && return
    live_pid "$LAB/outer.pid" >/dev/null && recipe_down
    return 1
}

recipe_down() {
    local pid
    pid=$(live_pid "$LAB/outer.pid") && kill -9 "$pid"
    while live_pid "$LAB/outer.pid" >/dev/null; do sleep 0.02; done
    rm -f "$LAB/outer.pid" "$LAB/ready"
}

recipe_running() { live_pid "$LAB/outer.pid" >/dev/null; }
recipe_run() { inouter "${AS[@]}" "$@"; }
recipe_on() { inouter "$SELF" _on "$@"; }
recipe_crash() { inouter "$SELF" _crash "$@"; }
recipe_boot() { inouter "$SELF" _boot "$@"; }
recipe_cut() { inouter ip link set "v$1" down; }
recipe_heal() { inouter ip link set "v$1" up; }

# outer: PID 1 of the lab. Hosts boot while munged and slurmctld start.
outer() {
    local i
    note_pid "$LAB/outer.pid"
    trap 'touch "$LAB/failed"' EXIT
    set -e
    mounts ctl # before the first boot: a host notes its pid as the lab's own /proc shows it
    for i in $(seq "$LAB_NODES"); do
        { "$SELF" _boot "n$i" || touch "$LAB/failed"; } </dev/null &
    done
    printf '%s\n' "link set lo up" "link add br0 type bridge" "addr add $LAB_NET.254/24 dev br0" \
        "link set br0 up" | ip -batch -
    "${AS[@]}" munged --force --socket="$LAB/run/munge.sock" --key-file="$LAB/etc/munge.key" \
        --pid-file="$LAB/run/munged.pid" --log-file="$LAB/log/munged.log" \
        --seed-file="$LAB/run/munged.seed" 2>/dev/null
    "${AS[@]}" slurmctld -f "$SLURM_CONF"
    until "${AS[@]}" scontrol ping >/dev/null 2>&1; do sleep 0.1; done
    touch "$LAB/run/ctl.ready"
    until [ "$(idle_nodes "${AS[@]}")" = "$LAB_NODES" ]; do
        [ ! -e "$LAB/failed" ] || exit 1
        sleep 0.1
    done
    set +e
    trap - EXIT
    touch "$LAB/ready"
    stay
}

# boot HOST: in the outer namespaces. The host waits for its cable before it starts slurmd.
boot() {
    local folder=$LAB/hosts/$1 pid
    mkdir -p "$folder/spool"
    rm -f "$folder/pid" "$folder/go"
    mkfifo "$folder/go"
    ip link del "v$1" 2>/dev/null
    setsid unshare "${NAMESPACES[@]}" "$SELF" _host "$1" </dev/null >>"$LAB/log/host.$1.log" 2>&1 &
    until [ -s "$folder/pid" ] && [ -e "$LAB/run/ctl.ready" ]; do sleep 0.02; done
    pid=$(live_pid "$folder/pid") || die "host $1 did not start (see $LAB/log/host.$1.log)"
    printf '%s\n' "link add v$1 type veth peer name eth0 netns $pid" "link set v$1 master br0 up" |
        ip -batch - || die "no link for host $1"
    echo go >"$folder/go"
}

# host HOST: PID 1 of a virtual host.
host() {
    note_pid "$LAB/hosts/$1/pid"
    mounts "$1"
    read -r _ <"$LAB/hosts/$1/go"
    printf '%s\n' "link set lo up" "addr add $LAB_NET.${1#n}/24 dev eth0" "link set eth0 up" |
        ip -batch -
    "${AS[@]}" slurmd -N "$1" -f "$SLURM_CONF" || touch "$LAB/failed"
    while :; do
        sleep 1000 &
        wait
    done
}

# crash HOST [power|panic]: power takes the link down first, so no FIN or RST gets out.
crash() {
    local pid
    pid=$(live_pid "$LAB/hosts/$1/pid") || die "host $1 is not up"
    [ "${2:-power}" = panic ] || ip link set "v$1" down
    kill -9 "$pid"
    rm -f "$LAB/hosts/$1/pid"
    ip link del "v$1" 2>/dev/null || true
}

on_host() {
    local pid
    pid=$(live_pid "$LAB/hosts/$1/pid") || die "host $1 is not up"
    shift
    # shellcheck disable=SC2016
    exec nsenter -t "$pid" -m -n -p -u -i -- \
        sh -c 'cd "$0" 2>/dev/null; exec "$@"' "$PWD" "${AS[@]}" "$@"
}
