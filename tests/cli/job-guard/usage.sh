# SPDX-License-Identifier: BSD-3-Clause
job-guard
echo "code $?"
job-guard --runn x -- true
echo "code $?"
printf '[restart]\nin_plac = true\n' >policy.toml
job-guard --policy policy.toml -- true
echo "code $?"
job-guard --policy missing.toml -- true
echo "code $?"
printf '[hang]\ntimeout_s = nan\n' >policy.toml
job-guard --policy policy.toml -- true
echo "code $?"
job-guard --run run -- ./no-such-program
echo "code $?"
grep -c '"cause":"configuration".*"action":"stop"' run/faults.jsonl
job-guard --run "" -- true
echo "code $?"
touch file
job-guard --run file -- true
echo "code $?"
job-guard --run /proc/nope -- true
echo "code $?"
mkdir empty
job-guard explain empty
echo "code $?"
job-guard explain 4711
echo "code $?"
