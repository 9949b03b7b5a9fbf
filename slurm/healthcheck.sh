#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# HealthCheckProgram: Slurm ignores its exit code and ends it after 60 s, so it drains the node by
# itself. It takes back only a drain of its own, and only once the node is healthy again.
export PATH=${LONGHAUL_PATH:-/usr/local/bin:/usr/bin:/bin}
command -v gpu-health >/dev/null || exit 0
node=${SLURMD_NODENAME:-$(hostname -s)}
mark="gpu-health:"

reason=$(gpu-health --context healthcheck --exit-policy slurm --reason)
code=$?
there=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')
if [ "$code" -ne 0 ]; then
    case $there in
        "") scontrol update NodeName="$node" State=drain Reason="$mark ${reason:-failed}" ;;
    esac
else
    case $there in
        "$mark"*) scontrol update NodeName="$node" State=resume ;;
    esac
fi
exit 0
