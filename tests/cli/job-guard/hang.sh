# SPDX-License-Identifier: BSD-3-Clause
# No sign of life in the progress file: ended, tried again, given up.
printf '[restart]\ndelay_s = 0.0\nmax_without_progress = 1\n[hang]\nstart_timeout_s = 0.5\nkill_grace_s = 0.0\n' >policy.toml
job-guard --policy policy.toml --progress-file log -- sh -c 'sleep 60'
