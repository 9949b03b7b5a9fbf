# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-agent against a real controller: every sub-command, refusals, and no controller.
if ! declare -F slurm-agent >/dev/null; then
    echo "skipped: slurm-agent was not built (libslurm-dev)"
    exit 77
fi
json() { grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" | head -n 1 | cut -d: -f2-; }

job=$(submit -N2 --requeue --time=10 <<'X'
#!/bin/bash
echo "start ${SLURM_RESTART_COUNT:-0}"
srun sleep 1000 || echo "step ended: $?"
sleep 1000
X
)
wait_line "job-$job.out" "start 0"
slurm-agent job "$job" >answer
expect "state" "$(json state <answer)" '"RUNNING"'
expect "nodes" "$(json nodes <answer)" '"n[1-2]"'
expect "batch host" "$(json batch_host <answer)" '"n1"'
expect "requeue flag" "$(json requeue <answer)" true
expect "time limit" "$(json time_limit_s <answer)" 600
left=$(json time_left_s <answer)
if [ "$left" -le 500 ] || [ "$left" -gt 600 ]; then fail "time left: $left"; fi

wait_for 20 "the step runs" test -n "$(squeue -h -s -j "$job" -o %i | grep -v batch)"
slurm-agent signal "$job" 9 >/dev/null
wait_line "job-$job.out" "step ended: 137"
expect "the script survives a signal to the steps" "$(state "$job")" RUNNING

slurm-agent requeue "$job" | grep -q '"done":true' || fail "requeue"
wait_state "$job" PENDING
slurm-agent exclude "$job" n2 >/dev/null
expect "excluded hosts are added" "$(slurm-agent exclude "$job" 'n[1,3]' | json excluded_nodes)" \
    '"n[1-3]"'
slurm-agent start-now "$job" >/dev/null
wait_line "job-$job.out" "start 1" 30
expect "hosts of the second run" "$(slurm-agent job "$job" | json nodes)" '"n[4-5]"'

slurm-agent hold --comment "test: held" "$job" >/dev/null
wait_state "$job" PENDING
slurm-agent job "$job" >answer
expect "reason of a held job" "$(json reason <answer)" '"JobHeldUser"'
expect "comment of a held job" "$(json comment <answer)" '"test: held"'
scancel "$job"

expect "nodes" "$(slurm-agent nodes 'n[1-2]' | json state)" '"IDLE"'
expect "configuration" "$(slurm-agent conf | json KillWait)" '"3 sec"'
code=0
slurm-agent requeue 4711 >answer || code=$?
expect "exit code for a job that is not there" "$code" 1
expect "Slurm's errno" "$(json slurm_errno <answer)" 2017

code=0
begin=$SECONDS
lab run env SLURM_CONF=/nonexistent slurm-agent job 1 >answer 2>/dev/null || code=$?
expect "exit code without a configuration" "$code" 3
[ $((SECONDS - begin)) -le 12 ] || fail "the deadline took $((SECONDS - begin)) s"
expect "and its answer" "$(json slurm_errno <answer)" 0

# A file that libslurm refuses ends the process inside slurm_init().
echo 'Nonsense' >bad.conf
code=0
lab run env SLURM_CONF="$PWD/bad.conf" slurm-agent job 1 >answer 2>/dev/null || code=$?
expect "exit code with a broken configuration" "$code" 3
grep -q 'libslurm can not start' answer || fail "no cause in the answer: $(cat answer)"
