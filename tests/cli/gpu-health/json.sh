# SPDX-License-Identifier: BSD-3-Clause
gpu-health --json --input "$DATA/nvml/h100-dbe.json"
echo "exit $?"
gpu-health --reason --input - <"$DATA/nvml/h100-dbe.json"
gpu-health --reason --input "$DATA/nvml/h100-healthy.json"
gpu-health --input "$DATA/nvml/h100-hot.json" --prometheus metrics >/dev/null
cat metrics
