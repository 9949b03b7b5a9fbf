# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# job-guard and hosts: a killed rank, a second strike, a lost host with a spare, exclusion.
# shellcheck source=/dev/null
. "${LAB_SH%/*}/../guard_lib.sh"

# kill -9 of a rank under srun -K.
new_run kill
job=$(guard_job 60 "$FAST" -- -K -N2 -n2 -- -N2)
wait_step 6
kill_rank n2
wait_state "$job" COMPLETED
expect "restarts in place after kill -9" "$(count_ends '"cause":"node"' '"nodes":"n2"' '"action":"restart"')" 1
expect "requeues after kill -9" "$(field "$job" Restarts)" 0
expect_line "job-$job.out" 'restart 1 from step [1-9]'

# The second strike of the same host: the spare takes its place.
new_run strikes
job=$(guard_job 60 "$FAST" -- -N2 -n2 -- -N3 --no-kill)
wait_step 6
kill_rank n2
kill_rank n2
wait_state "$job" COMPLETED
expect_line "$RUN/faults.jsonl" '"event":"start".*"restart":2,"nodes":"n\[1,3\]"'
expect "requeues with a spare" "$(field "$job" Restarts)" 0

# Loss of a host with a spare in the allocation.
new_run host
job=$(guard_job 60 "$FAST" -- -N4 -n4 -- -N5 --no-kill)
wait_step 6
lab crash n3
scontrol update nodename=n3 state=down reason=crash
wait_state "$job" COMPLETED
expect "restarts in place after the loss of a host" \
    "$(count_ends '"cause":"node"' '"nodes":"n3"' '"action":"restart"')" 1
expect_line "$RUN/faults.jsonl" '"event":"start".*"restart":1,"nodes":"n\[1-2,4-5\]"'
expect "requeues with a spare" "$(field "$job" Restarts)" 0
lab boot n3
is_back() { [ "$(sinfo -h -p debug -n n3 -o %T)" = idle ]; }
wait_for 20 "n3 is back" is_back

# No spare: a host that failed twice is excluded by requeue.
new_run exclude
job=$(guard_job 60 "$FAST" -- -N2 -n2 -- -N2)
wait_step 6
kill_rank n2
kill_rank n2
wait_end '"action":"requeue"'
wait_state "$job" COMPLETED 60
expect "excluded hosts" "$(field "$job" ExcNodeList)" n2
expect "requeues without a spare" "$(field "$job" Restarts)" 1

# A host that fails its preflight is left out, the spare takes its place.
new_run preflight
cat >"$SHARED/preflight.toml" <<'X'
[preflight]
command = ["sh", "-c", "test $SLURMD_NODENAME != n1"]
X
job=$(guard_job 20 "--policy $SHARED/preflight.toml" -- -N2 -n2 -- -N3 --no-kill)
wait_state "$job" COMPLETED
expect_line "job-$job.out" 'preflight failed on n1: left out'
expect_line "job-$job.out" 'from step 0 on'
expect "hosts after the preflight" "$(cd "$RUN" && echo pid-*)" "pid-n2 pid-n3"

# The batch host is lost, and job-guard with it: Slurm requeues, the history goes on.
new_run batch-host
job=$(guard_job 80 "$FAST" -- -N2 -n2 -- -N2)
wait_step 6
lab crash n1
scontrol update nodename=n1 state=down reason=crash
wait_line "$RUN/faults.jsonl" '"event":"start".*"restart":1' 60
wait_state "$job" COMPLETED 60
expect "requeues after the loss of the batch host" "$(field "$job" Restarts)" 1
