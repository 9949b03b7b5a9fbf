#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# HealthCheckProgram: Slurm ignores its exit code and ends it after 60 s, so it drains the node by
# itself. It takes back only a drain of its own, and only once the node is healthy again.
export PATH=${LONGHAUL_PATH:-/usr/local/bin:/usr/bin:/bin}
command -v gpu-health >/dev/null || exit 0
node=${SLURMD_NODENAME:-$(hostname -s)}
own="gpu-health:"
config=${LONGHAUL_GPU_HEALTH_CONFIG:-/etc/longhaul/gpu-health.toml}
# An event (gpu-health reports it once) that Slurm does not know of yet: the controller did not
# answer, or the node was drained for something else.
mark=${LONGHAUL_STATE_DIR:-/var/lib/longhaul}/gpu-health.drain
is_event() { case $1 in *xid.* | *node.port.*) true ;; *) false ;; esac }
owe() { if is_event "$1"; then mkdir -p "${mark%/*}" && echo "$1" >"$mark"; fi; }
drain() {
    if scontrol update NodeName="$node" State=drain Reason="$own $1"; then
        rm -f "$mark"
    else
        owe "$1"
    fi
}

options=(--context healthcheck --reason)
if [ -r "$config" ]; then options+=(--config "$config"); fi
reason=$(gpu-health "${options[@]}")
code=$?
# 3: something could not be looked at, 2: misuse. Neither drains a node nor takes it back.
if [ "$code" -eq 1 ]; then
    reason=${reason#"$own "}
    reason=${reason:-failed}
else
    reason=
fi
if [ -s "$mark" ] && ! is_event "$reason"; then reason=$(cat "$mark"); fi

there=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')
if [ -n "$reason" ]; then
    case $there in
        "") drain "$reason" ;;
        "$own"*) if is_event "$reason"; then drain "$reason"; fi ;;
        *) owe "$reason" ;;
    esac
elif [ "$code" -eq 0 ] && [ ! -e "$mark" ]; then
    case $there in
        # An event is over at the next look, its cause is not: a person takes these nodes back.
        "$own"*xid.* | "$own"*node.port.*) ;;
        "$own"*) scontrol update NodeName="$node" State=resume ;;
    esac
fi
exit 0
