# SPDX-License-Identifier: BSD-3-Clause
# The frozen list of options and checks.
gpu-health --help
for command in explain record ingest; do
    gpu-health $command --help
done
gpu-health --list-checks
