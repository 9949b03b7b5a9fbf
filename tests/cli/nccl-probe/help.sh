# SPDX-License-Identifier: BSD-3-Clause
# The frozen list of options.
nccl-probe --help
for command in sweep pairs diagnose hang env topo counters; do
    nccl-probe $command --help
done
