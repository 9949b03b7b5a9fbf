# SPDX-License-Identifier: BSD-3-Clause
# Tasks of srun that cannot find each other must not train the same thing side by side.
printf '[job]\nsteps = 1\n[data]\ntrain = ["x"]\n' >run.toml
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 train-run run.toml
