# SPDX-License-Identifier: BSD-3-Clause
gpu-health explain 79 xid.94 gpu.remap.pending
gpu-health explain gpu.remap.pendng
echo "exit $?"
for host in n1 n3; do
    nccl-probe pairs --json --input "$DATA/pairs/slow-host.json" | gpu-health ingest --host $host -
    echo "exit $?"
done
nccl-probe pairs --json --input "$DATA/pairs/slow-host.json" | gpu-health ingest --host n3 --reason --exit-policy slurm -
echo "exit $?"
echo '{"schema": 1, "findings": 3}' | gpu-health ingest -
echo "exit $?"
nccl-probe pairs --json --input "$DATA/pairs/slow-host.json" | gpu-health ingest --host n9 -
echo "exit $?"
echo '{"schema": 2, "findings": []}' | gpu-health ingest -
echo "exit $?"
gpu-health --gres garbage
echo "exit $?"
gpu-health --watch --every 0.1s
echo "exit $?"
gpu-health --config missing.toml
echo "exit $?"
echo "# not JSON" >text
gpu-health --input text
echo "exit $?"
echo '{}' | gpu-health --input -
echo "exit $?"
