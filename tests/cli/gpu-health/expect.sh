# SPDX-License-Identifier: BSD-3-Clause
# No GPUs is fine where none is expected, and never where some are.
cpu=$DATA/nvml/cpu-node.json
h100=$DATA/nvml/h100-healthy.json
gpu-health --input "$cpu"
echo "exit $?"
gpu-health --input "$cpu" --expect-gpus 8
echo "exit $?"
gpu-health --input "$cpu" --gres gpu:h100:8 --exit-policy slurm
echo "exit $?"
gpu-health --input "$h100" --gres gpu:h100:8
echo "exit $?"
gpu-health --input "$h100" --gres gpu:h100:lots
echo "exit $?"
printf '[expect]\ngpus = 4\nmodel = "A100"\n[status]\nnote = ["gpu.same.*"]\n' >site.toml
gpu-health --input "$h100" --config site.toml
echo "exit $?"
printf '[expect]\ngpu = 4\n' >bad.toml
gpu-health --input "$h100" --config bad.toml
echo "exit $?"
gpu-health --config site.toml --print-config
gpu-health --input "$cpu" --active-memory 1MiB
echo "exit $?"
