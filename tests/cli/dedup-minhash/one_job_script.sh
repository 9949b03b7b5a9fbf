#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# deduplicate.sbatch: one task runs the program itself, several go through srun and share the memory.
set -eu
script=$CASE_DIR/../../../slurm/sbatch/deduplicate.sbatch
mkdir bin
printf '#!/bin/sh\necho srun "$@"\n' >bin/srun
printf '#!/bin/sh\necho dedup-minhash "$@"\n' >bin/dedup-minhash
chmod +x bin/*
export PATH=$PWD/bin:$PATH SLURM_MEM_PER_NODE=4000 SLURM_CPUS_PER_TASK=3
bash "$script" clean/ raw/
SLURM_NTASKS=1 SLURM_TASKS_PER_NODE=1 bash "$script" clean/ raw/
SLURM_NTASKS=8 SLURM_TASKS_PER_NODE='2(x4)' bash "$script" clean/ raw/ more/
