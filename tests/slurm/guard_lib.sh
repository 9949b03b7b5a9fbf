# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# For the tests of job-guard: submits tests/support/fake_train.sh under it.
FAKE=$(cd "${LAB_SH%/*}/../../support" && pwd)/fake_train.sh
RUN=$SHARED/run
# shellcheck disable=SC2034 # for the tests
FAST="--policy $SHARED/fast.toml"
cat >"$SHARED/fast.toml" <<'X'
[restart]
delay_s = 0.1
[hang]
start_timeout_s = 20
timeout_s = 3
kill_grace_s = 1
X

# new_run NAME: an empty run directory in $RUN.
new_run() {
    RUN=$SHARED/run-$1
    mkdir -p "$RUN"
}

# guard_job LAST_STEP [GUARD_OPTION...] -- [SRUN_OPTION...] -- [SBATCH_OPTION...]: prints the job id.
guard_job() {
    local last=$1 guard=() srun=()
    shift
    while [ "$1" != -- ]; do guard+=("$1") && shift; done
    shift
    while [ "$1" != -- ]; do srun+=("$1") && shift; done
    shift
    submit --requeue "$@" <<X
#!/bin/bash
export PATH=$LONGHAUL_BIN:\$PATH XDG_STATE_HOME=$SHARED/state
exec job-guard --run "$RUN" ${guard[*]} -- srun ${srun[*]} "$FAKE" $last
X
}

# ends NAME=VALUE...: the number of end events in faults.jsonl that hold all of the texts.
count_ends() {
    local lines pattern
    lines=$(grep '"event":"end"' "$RUN/faults.jsonl" 2>/dev/null)
    for pattern in "$@"; do lines=$(grep -F -- "$pattern" <<<"$lines"); done
    if [ -z "$lines" ]; then echo 0; else wc -l <<<"$lines"; fi
}
has_end() { [ "$(count_ends "$@")" -gt 0 ]; }
wait_end() { wait_for "${SECONDS_TO_WAIT:-40}" "an end event with $*" has_end "$@"; }

has_reached() { # STEP
    local step
    step=$(grep -oE '[0-9]+' "$RUN/progress.json" 2>/dev/null) && [ "${step:-0}" -ge "$1" ]
}
wait_step() { wait_for 40 "step $1" has_reached "$1"; }

# kill_rank HOST: kill -9 of the rank on HOST, once it runs.
kill_rank() {
    wait_for 40 "a rank runs on $1" test -s "$RUN/pid-$1"
    lab on "$1" kill -9 "$(cat "$RUN/pid-$1")"
    rm "$RUN/pid-$1"
}
