# SPDX-License-Identifier: BSD-3-Clause
# The effective file: defaults, the file's own values, and --set; and it reads itself.
printf '[job]\nsteps = 7\n[data]\ntrain = ["a", "b"]\n' >run.toml
train-run run.toml --set schedule.lr=1e-3 --print-config | tee effective.toml
train-run effective.toml --print-config | cmp - effective.toml
