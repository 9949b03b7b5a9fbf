#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A stand-in for train-run, as seen by job-guard: every rank works through steps of 0.1 s until
# step $1, rank 0 commits every 5th. Resumes from the newest committed step. TERM and USR1: finish
# the step, commit, exit.json, exit 75. Files in $LONGHAUL_RUN steer it:
#   fail-CODE   rank 0 exits with CODE at step 7    hang   no progress from step 7 on
#   deaf        TERM and USR1 are ignored
set -u
last=$1 run=${LONGHAUL_RUN:?} rank=${SLURM_PROCID:-0} restart=${LONGHAUL_RESTART:-0}
mkdir -p "$run/ckpt"
echo $$ >"$run/pid-${SLURMD_NODENAME:-local}"
asked=
if [ -e "$run/deaf" ]; then trap '' TERM USR1; else trap 'asked=1' TERM USR1; fi

step=0
for folder in "$run"/ckpt/step-*; do
    [ ! -e "$folder/MANIFEST.json" ] || step=$((10#${folder##*-}))
done
[ "$rank" != 0 ] || echo "fake_train: restart $restart from step $step on ${SLURM_JOB_NODELIST:-}"

commit() {
    [ "$rank" = 0 ] || return
    local folder
    folder=$run/ckpt/$(printf 'step-%08d' "$step")
    mkdir -p "$folder" && echo '{}' >"$folder/MANIFEST.json"
}
finish() { # finish CODE CAUSE
    if [ "$rank" = 0 ]; then
        echo "{\"code\":$1,\"cause\":\"$2\",\"step\":$step,\"restart\":$restart}" >"$run/exit.new"
        mv "$run/exit.new" "$run/exit.json"
    fi
    exit "$1"
}
while [ "$step" -lt "$last" ]; do
    sleep 0.1
    step=$((step + 1))
    if [ "$step" -ge 7 ]; then
        while [ -e "$run/hang" ]; do sleep 0.2; done
        for file in "$run"/fail-*; do
            if [ -e "$file" ] && [ "$rank" = 0 ]; then exit "${file##*-}"; fi
        done
    fi
    if [ "$rank" = 0 ]; then
        echo "{\"step\":$step}" >"$run/progress.new" && mv "$run/progress.new" "$run/progress.json"
    fi
    [ $((step % 5)) != 0 ] || commit
    if [ -n "$asked" ]; then
        commit
        finish 75 notice
    fi
done
commit
finish 0 finished
