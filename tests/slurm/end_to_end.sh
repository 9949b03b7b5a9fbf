# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The whole chain by the scripts of slurm/sbatch on real text: deduplication, tokenizer, shards,
# training on 4 hosts of 5. One run is left alone; the other loses a rank (kill -9), is requeued by
# an operator, gets USR1 before its time limit, and loses a host. Both must end with the same loss
# and the same weights, bit for bit. LONGHAUL_LONG=1: 20 MB of text instead of 0.4 MB.
SBATCH=$(cd "${LAB_SH%/*}/../../../slurm/sbatch" && pwd)
MAKE_CORPUS=$(cd "${LAB_SH%/*}/../../../examples" && pwd)/make_corpus.pl
for program in tok-shard dedup-minhash train-run ckpt-reshard; do
    if [ ! -x "$LONGHAUL_BIN/$program" ] && ! command -v "$program" >/dev/null; then
        echo "skipped: $program is not built" && exit 77
    fi
done
corpus=(--max-bytes 400000) vocab=512 steps=1500
if [ "${LONGHAUL_LONG:-0}" = 1 ]; then corpus=(--with-python-docs) vocab=4096; fi
mkdir -p raw
if ! "$MAKE_CORPUS" "${corpus[@]}" >raw/corpus.jsonl || [ ! -s raw/corpus.jsonl ]; then
    echo "skipped: no text (package perl-doc)" && exit 77
fi
say "text: $(wc -l <raw/corpus.jsonl) documents, $(wc -c <raw/corpus.jsonl) bytes"

# --- data
job=$(submit "$SBATCH/deduplicate.sbatch" clean/ raw/)
wait_state "$job" COMPLETED 300
job=$(submit --wrap "tok-shard train --vocab-size $vocab -o tokenizer.json clean/*.jsonl")
wait_state "$job" COMPLETED 300
submit --array=0-1 "$SBATCH/tokenize.sbatch" tokenizer.json shards/ clean/ >/dev/null
wait_for 300 "the shards are complete" test -e shards/manifest.json
lab run tok-shard verify shards >/dev/null || fail "tok-shard verify"

# --- training
cat >run.toml <<X
[job]
steps = $steps
[model]
family = "llama"
num_layers = 2
hidden = 64
num_heads = 4
ffn_hidden = 128
[data]
train = ["shards"]
seq_len = 64
global_batch = 16
micro_batch = 2
[checkpoint]
every = 25
[metrics]
peak_gflops = 10.0
X
cat >policy.toml <<'X'
[restart]
delay_s = 0.1
[hang]
start_timeout_s = 60
timeout_s = 30
kill_grace_s = 2
X
export POLICY=policy.toml
pretrain() { # pretrain RUN HOSTS [SBATCH_OPTION...]
    local run=$1 hosts=$2
    shift 2
    submit -N "$hosts" --cpus-per-task=1 "$@" "$SBATCH/pretrain.sbatch" run.toml "$run" 4
}
steps_done() { tail -n 1 "$RUN/metrics.jsonl" 2>/dev/null | grep -oE '"step":[0-9]+' | cut -d: -f2; }
is_at() { [ "$(steps_done || echo 0)" -ge "$1" ] 2>/dev/null; }
wait_step() { wait_for 120 "step $1 of $RUN" is_at "$1"; }
# last_start: the number of the newest start. works_again N: a start after N has made a step.
last_start() { grep '"event":"start"' "$RUN/faults.jsonl" | tail -n 1 | grep -oE '"restart":[0-9]+' | cut -d: -f2; }
works_again() {
    local restart
    restart=$(tail -n 1 "$RUN/metrics.jsonl" | grep -oE '"restart":[0-9]+' | cut -d: -f2)
    [ "${restart:-0}" -gt "$1" ]
}
wait_again() { wait_for 60 "a start after $1 works" works_again "$1"; }

# pid_on_n2: the rank there, by the job of its step: another job's ranks have the same name.
# shellcheck disable=SC2016 # for the shell on the host
pid_on_n2() {
    lab on n2 sh -c 'for pid in $(pgrep -x train-run); do
        tr "\0" "\n" <"/proc/$pid/environ" | grep -qx "SLURM_JOB_ID=$0" && echo "$pid"
    done; true' "$job"
}
signal_rank_on_n2() {
    local pid
    pid=$(pid_on_n2)
    [ -z "$pid" ] || lab on n2 kill "-$1" "$pid" || true # it may just have ended
}

# The run must last until the notice of its time limit comes, which is minutes away, on the fastest
# machine: slow_down lets one rank, and so all, work a tenth of the time; full_speed ends that.
slow_down() {
    while kill -0 $$; do # as long as this test
        signal_rank_on_n2 STOP
        sleep 0.9
        signal_rank_on_n2 CONT
        sleep 0.1
    done 2>/dev/null &
    brake=$!
}
full_speed() {
    { kill "$brake" && wait "$brake"; } 2>/dev/null || true
    signal_rank_on_n2 CONT
}

RUN=$SHARED/run-undisturbed
job=$(pretrain run-undisturbed 4)
wait_state "$job" COMPLETED 300
say "ok: the undisturbed run has ended"

RUN=$SHARED/run
job=$(pretrain run 5 --time=60)
wait_step 30

say "-- kill -9 of a rank"
pid=$(pid_on_n2)
before=$(last_start)
lab on n2 kill -9 "$pid"
wait_again "$before"
expect "requeues so far" "$(field "$job" Restarts)" 0

say "-- scontrol requeue"
before=$(last_start)
scontrol requeue "$job"
wait_again "$before"

say "-- USR1 before a short time limit"
before=$(last_start)
slow_down
scontrol update "JobId=$job" TimeLimit=2
wait_line "$RUN/faults.jsonl" '"cause":"time-limit".*"action":"requeue"' 120
full_speed
wait_state "$job" PENDING
scontrol update "JobId=$job" TimeLimit=60
wait_again "$before"

say "-- loss of a host, a spare takes its place"
before=$(last_start)
lab crash n3
scontrol update nodename=n3 state=down reason=crash
wait_again "$before"
expect_line "$RUN/faults.jsonl" '"event":"start".*"nodes":"n\[1-2,4-5\]"'
wait_state "$job" COMPLETED 200
expect "requeues" "$(field "$job" Restarts)" 2

# The last line of a step counts.
loss_at_end() { grep "\"step\":$steps," "$1/metrics.jsonl" | tail -n 1 | grep -oE '"loss":[^,]*'; }
expect "final loss" "$(loss_at_end run)" "$(loss_at_end run-undisturbed)"
last=$(printf 'ckpt/step-%08d' "$steps")
lab run ckpt-reshard diff --read-all "run-undisturbed/$last" "run/$last" || fail "the weights differ"
say "ok: the weights are equal, bit for bit"

# --- conversion and the story
job=$(submit "$SBATCH/convert.sbatch" "run/$last" exported)
wait_state "$job" COMPLETED
test -s exported/model.safetensors || fail "no exported model"
lab run job-guard explain run
