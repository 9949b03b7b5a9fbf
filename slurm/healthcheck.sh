#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# HealthCheckProgram: Slurm ignores its exit code and ends it after 60 s, so it drains the node by
# itself. It takes back only a drain of its own, and only once the node is healthy again.
export PATH=${LONGHAUL_PATH:-/usr/local/bin:/usr/bin:/bin}
command -v gpu-health >/dev/null || exit 0
node=${SLURMD_NODENAME:-$(hostname -s)}
mark="gpu-health:"

reason=$(gpu-health --context healthcheck --reason)
code=$?
reason=${reason#"$mark "}
# 3: something could not be looked at, 2: misuse. Neither drains a node nor takes it back.
[ "$code" -le 1 ] || exit 0
there=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')
if [ "$code" -ne 0 ]; then
    case $there in
        "") scontrol update NodeName="$node" State=drain Reason="$mark ${reason:-failed}" ;;
    esac
else
    case $there in
        # An event is over at the next look, its cause is not: a person takes these nodes back.
        "$mark"*xid.* | "$mark"*node.port.*) ;;
        "$mark"*) scontrol update NodeName="$node" State=resume ;;
    esac
fi
exit 0
