# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the suite `slurm` share. Sourced by run_case.sh; `set -e` is in force.

# Slurm's commands run on the controller of the lab.
lab() { "$LAB_SH" "$@"; }
for command in sbatch squeue scontrol scancel sinfo srun slurm-agent; do
    eval "$command() { lab run $command \"\$@\"; }"
done
if [ ! -x "${LONGHAUL_BIN:-}/slurm-agent" ]; then unset -f slurm-agent; fi

say() { echo "$*"; }

fail() {
    echo "FAILED: $*" >&2
    show_state >&2
    exit 1
}

# show_state: what a person wants to see after a failure.
show_state() {
    local file
    squeue -t all -o '%i %T %r %N %M' || true
    for file in "$SHARED"/*.out "$SHARED"/run*/faults.jsonl "$SHARED"/run*/exit.json; do
        [ ! -e "$file" ] || { echo "--- $file" && tail -n 40 "$file"; }
    done
}

# submit [OPTION...] < SCRIPT: prints the job's id. Output goes to $SHARED/job-ID.out.
submit() { sbatch --parsable --chdir="$SHARED" --output="$SHARED/job-%j.out" "$@"; }

# state ID: "RUNNING", "PENDING", ... as squeue shows it.
state() { squeue -h -t all -j "$1" -o %T; }

# field ID NAME: a field of `scontrol show job`.
field() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }

# wait_for SECONDS WHAT CMD...: until CMD succeeds.
wait_for() {
    local seconds=$1 what=$2 end
    shift 2
    end=$((SECONDS + seconds))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "not within $seconds s: $what"
        sleep 0.2
    done
}

# shellcheck disable=SC2053 # the state may be a pattern
is_state() { [[ $(state "$1") == $2 ]]; }
# is_over ID PATTERN: it has ended in another state than PATTERN.
is_over() {
    local now
    now=$(state "$1")
    # shellcheck disable=SC2053
    [[ $now == @(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL) && $now != $2 ]]
}
reaches_state() {
    if is_over "$1" "$2"; then fail "job $1 is $(state "$1"), expected $2"; fi
    is_state "$1" "$2"
}
wait_state() { wait_for "${3:-40}" "job $1 is $2" reaches_state "$1" "$2"; }

has_line() { grep -qE -- "$2" "$1" 2>/dev/null; }
# wait_line FILE PATTERN [SECONDS]
wait_line() { wait_for "${3:-40}" "$1 has a line like $2" has_line "$1" "$2"; }

expect() { # expect WHAT ACTUAL EXPECTED
    [ "$2" = "$3" ] || fail "$1: $2, expected $3"
    say "ok: $1: $2"
}
expect_line() { # expect_line FILE PATTERN
    has_line "$1" "$2" || fail "$1 has no line like $2"
    say "ok: $(basename "$1"): $2"
}
expect_no_line() {
    if has_line "$1" "$2"; then fail "$1 has a line like $2"; fi
}

# start_now ID: lifts the delay that Slurm puts before a requeued job.
start_now() { wait_for 20 "job $1 may start at once" scontrol update "JobId=$1" StartTime=now; }
