# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The lab itself: hosts, PMIx, requeue, crash and boot of a host.
expect "hosts" "$(sinfo -h -p debug -o '%D %T')" "$LAB_NODES idle"
expect "ranks under srun --mpi=pmix" "$(srun -N3 -n6 --mpi=pmix printenv PMIX_RANK | sort | xargs)" \
    "0 1 2 3 4 5"

job=$(submit -N2 --requeue <<'X'
#!/bin/bash
echo "start ${SLURM_RESTART_COUNT:-0} on $SLURM_JOB_NODELIST"
sleep 60
X
)
wait_line "job-$job.out" "start 0"
lab crash n2
scontrol update nodename=n2 state=down reason=crash
wait_state "$job" PENDING 20
start_now "$job"
wait_line "job-$job.out" "start 1 on n\[[13]"
lab boot n2
n2_is_idle() { [ "$(sinfo -h -p debug -n n2 -o %T)" = idle ]; }
wait_for 20 "n2 is idle again" n2_is_idle
scancel "$job"
wait_state "$job" CANCELLED
