# SPDX-License-Identifier: BSD-3-Clause
# Every recorded node: the report, and the exit code by either policy.
for file in "$DATA"/nvml/*.json; do
    echo "== $(basename "$file" .json)"
    gpu-health --input "$file"
    code=$?
    gpu-health --input "$file" --exit-policy slurm >/dev/null
    echo "exit $code, slurm $?"
done
