# SPDX-License-Identifier: BSD-3-Clause
# The command's end, outside of Slurm: nothing can be requeued, so 75 stays 75.
printf '[restart]\ndelay_s = 0.0\nmax_without_progress = 1\n' >policy.toml
for code in 0 75 93 2; do
    job-guard -q -- sh -c "exit $code"
    echo "$code -> $?"
done
job-guard --policy policy.toml -- sh -c 'exit 1'
echo "1 -> $?"
job-guard --policy policy.toml -- sh -c 'kill -9 $$'
echo "SIGKILL -> $?"
printf '[restart]\ndelay_s = 0.0\nmax_without_progress = 0\n[preflight]\ncommand = ["false"]\n' >policy.toml
job-guard --policy policy.toml -- true
echo "preflight -> $?"
