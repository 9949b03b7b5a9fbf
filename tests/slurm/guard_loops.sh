# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# job-guard and runs that do not get on: hopeless loops, hangs, wrong settings.
# shellcheck source=/dev/null
. "${LAB_SH%/*}/../guard_lib.sh"

# The same step again and again: three restarts, then held.
new_run loop
touch "$RUN/fail-1"
job=$(guard_job 60 "$FAST" -- -N2 -n2 -- -N2)
wait_end '"action":"hold"'
expect "restarts before the job is held" "$(count_ends '"action":"restart"')" 3
is_held() { [[ $(squeue -h -j "$job" -o '%T %r') == PENDING*[Hh]eld* ]]; }
wait_for 20 "the job is held" is_held
expect_line "job-$job.out" 'scontrol release'
rm "$RUN/fail-1"
sleep 2 # the end of the old script must not be taken for that of the new one
scontrol release "$job"
start_now "$job"
wait_state "$job" COMPLETED 60
say "ok: a released job goes on"

# A hang: ended by KILL, since the ranks ignore TERM.
new_run hang
touch "$RUN/hang" "$RUN/deaf"
job=$(guard_job 60 "$FAST" -- -N2 -n2 -- -N2)
wait_end '"cause":"hang"' '"action":"restart"'
rm "$RUN/hang" "$RUN/deaf"
wait_state "$job" COMPLETED 60
say "ok: a run that hangs is started again"

# A wrong setting is not tried twice.
new_run usage
touch "$RUN/fail-2"
job=$(guard_job 60 "$FAST" -- -N2 -n2 -- -N2)
wait_state "$job" FAILED
expect "exit code of the job" "$(field "$job" ExitCode)" 2:0
expect "starts with a wrong setting" "$(count_ends)" 1
