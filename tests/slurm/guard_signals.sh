# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# job-guard and orders from outside: scancel, scontrol requeue, --signal, B:, the time limit,
# preemption. One job each, side by side where hosts allow.
# shellcheck source=/dev/null
. "${LAB_SH%/*}/../guard_lib.sh"

# The real --signal before a short time limit, to the ranks only and to the script only. Slurm looks
# twice a minute, so these two run beside all others and are looked at in the end.
new_run limit-ranks
limit_ranks=$(guard_job 350 -- -N1 -n1 -- -N1 --time=1 --signal=USR1@70)
new_run limit-script
limit_script=$(guard_job 350 -- -N1 -n1 -- -N1 --time=1 --signal=B:USR1@70)

new_run cancel
job=$(guard_job 10000 -- -N2 -n2 -- -N2)
wait_step 6
scancel "$job"
wait_state "$job" CANCELLED
wait_end '"cause":"cancelled"' '"action":"stop"'
say "ok: a cancelled job is not requeued"

new_run requeue
job=$(guard_job 60 -- -N2 -n2 -- -N2)
wait_step 6
scontrol requeue "$job"
wait_state "$job" PENDING
start_now "$job"
wait_line "$RUN/faults.jsonl" '"event":"start".*"restart":1'
wait_state "$job" COMPLETED
expect_line "$RUN/faults.jsonl" '"cause":"finished"'
expect "restarts after scontrol requeue" "$(field "$job" Restarts)" 1
expect_line "job-$job.out" 'restart 1 from step [1-9]'

# USR1 to the ranks only, as plain --signal sends it: they save and exit 75.
new_run usr1
job=$(guard_job 60 -- -N2 -n2 -- -N2)
wait_step 6
scancel --signal=USR1 "$job"
wait_end '"action":"requeue"'
wait_state "$job" COMPLETED
expect "restarts after USR1 to the steps" "$(field "$job" Restarts)" 1
expect "exit.json code" "$(grep -o '"code":[0-9]*' "$RUN/exit.json")" '"code":0'

# USR1 to the batch script only, as --signal=B:USR1 sends it: job-guard passes it on.
new_run b-usr1
job=$(guard_job 60 -- -N2 -n2 -- -N2)
wait_step 6
scancel --batch --signal=USR1 "$job"
wait_end '"action":"requeue"'
wait_state "$job" COMPLETED
expect "restarts after USR1 to the script" "$(field "$job" Restarts)" 1
expect_line "job-$job.out" 'User defined signal 1 is passed on'

# The same by scontrol, where there is no slurm-agent.
new_run fallback
job=$(LONGHAUL_SLURM_AGENT=none guard_job 60 -- -N2 -n2 -- -N2)
wait_step 6
scancel --signal=USR1 "$job"
wait_end '"action":"requeue"'
wait_state "$job" COMPLETED
expect "restarts without slurm-agent" "$(field "$job" Restarts)" 1

for name in limit-ranks limit-script; do
    RUN=$SHARED/run-$name
    SECONDS_TO_WAIT=90 wait_end '"cause":"time-limit"' '"action":"requeue"'
done
wait_state "$limit_ranks" COMPLETED 150
wait_state "$limit_script" COMPLETED 150
say "ok: --signal=USR1 and --signal=B:USR1 before the time limit"

# Preemption: TERM to the steps at the start of the grace time.
new_run preempt
job=$(guard_job 250 -- -N3 -n3 -- -N3)
wait_step 6
high=$(submit -p high -N5 --exclusive --wrap 'sleep 2')
wait_end '"cause":"preemption"' '"action":"requeue"'
wait_state "$high" COMPLETED
wait_state "$job" COMPLETED 60
expect "restarts after preemption" "$(field "$job" Restarts)" 1
