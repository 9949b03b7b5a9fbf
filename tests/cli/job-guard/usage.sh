# SPDX-License-Identifier: BSD-3-Clause
job-guard
echo "code $?"
job-guard --runn x -- true
echo "code $?"
printf '[restart]\nin_plac = true\n' >policy.toml
job-guard --policy policy.toml -- true
echo "code $?"
job-guard -- ./no-such-program
echo "code $?"
job-guard explain 4711
echo "code $?"
