#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tok-shard under mpirun: the ranks divide the units, the one that ends last completes the folder, and the bytes
# are those of one process; a rank that is killed ends all, and another number of ranks goes on.
set -u
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export PATH=$LONGHAUL_BIN:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset "${!SLURM_@}"
data=$LONGHAUL_TEST_DATA
failed=0
check() {
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
ranks() {
    local n=$1
    shift
    timeout 120 mpirun --oversubscribe -n "$n" tok-shard "$@"
}

for _ in $(seq 60); do cat "$data/tokshard/corpus.jsonl"; done >plain.jsonl
gzip -c "$data/tokshard/corpus.jsonl" >packed.jsonl.gz
options=(-t "$data/token/hf_gpt2.json" --unit-size 20000 --shard-tokens 4000 --threads 1)
inputs=(plain.jsonl packed.jsonl.gz)
tok-shard -q "${options[@]}" -o want "${inputs[@]}"
units=$(find want -name 'shard-*-000.h5' | wc -l)
check "units for all" test "$units" -gt 8

for n in 2 3 4; do
    ranks $n "${options[@]}" -o "out-$n" --report "report-$n" "${inputs[@]}" 2>log || cat log
    check "$n ranks" diff -r want "out-$n"
    check "$n ranks, no unit twice" test "$(grep -ho '"units": *[0-9]*' report-$n.* | awk '{n += $2} END {print n}')" -eq "$units"
    check "$n ranks, completed by one" test "$(grep -c "out-$n is complete: $units units" log)" -ge 1
done
check "complete already" ranks 3 -q "${options[@]}" -o out-2 "${inputs[@]}"
ranks 3 -q "${options[@]}" -o out-megatron --format megatron "${inputs[@]}"
tok-shard -q "${options[@]}" -o want-megatron --format megatron "${inputs[@]}"
check "3 ranks, megatron" diff -r want-megatron out-megatron
ranks 3 convert -q --threads 1 --format megatron -o out-convert want
tok-shard convert -q --threads 1 --format megatron -o want-convert want
check "3 ranks, convert" diff -r want-convert out-convert

# --- a task array of two, each of two ranks
for task in 1 0; do
    SLURM_JOB_ID=1 SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_COUNT=2 \
        ranks 2 -q "${options[@]}" -o out-array "${inputs[@]}"
    check "array task $task" test -e out-array/manifest.json -o $task = 1
done
check "two tasks of two ranks" diff -r want out-array

# --- what may not be
ranks 2 -q "${options[@]}" -o out-x - <plain.jsonl 2>errors
check "a pipe" grep -q "can not be divided" errors
ranks 2 train -q -o t.json plain.jsonl 2>errors
check "train" grep -q "2 ranks would all do the same; start one" errors
mkdir out-busy
flock -s out-busy/.tasks-1.lock timeout 60 mpirun --oversubscribe -n 2 tok-shard -q "${options[@]}" -o out-busy "${inputs[@]}" 2>errors
check "beside a process that does all" test $? -eq 2
check "says who" grep -q "another tok-shard is writing out-busy as 1 tasks, this one is one of 2" errors
check "and once it has ended" ranks 2 -q "${options[@]}" -o out-busy "${inputs[@]}"
check "it goes on" diff -r want out-busy

# --- a rank is killed at work: all end, what is done stays
has_ended() { ! kill -0 "$job" 2>/dev/null; }
for try in 1 2 3; do
    rm -rf out-killed
    timeout 100 mpirun --oversubscribe -n 4 tok-shard -q "${options[@]}" -o out-killed "${inputs[@]}" 2>/dev/null &
    job=$! victim=
    until has_ended || { [ -n "$victim" ] && [ "$(find out-killed/.units -name '*.json' 2>/dev/null | wc -l)" -ge $try ]; }; do
        launcher=$(pgrep -P $job -x mpirun)
        victim=$(pgrep -P "${launcher:-$job}" -x tok-shard | tail -n 1)
    done
    kill -KILL "$victim" 2>/dev/null && was_killed=1
    wait $job 2>/dev/null
    code=$?
    [ -e out-killed/manifest.json ] || check "mpirun fails" test $code -ne 0 -a $code -ne 124
    ranks $((try + 1)) -q "${options[@]}" -o out-killed "${inputs[@]}"
    check "killed, then $((try + 1)) ranks" diff -r want out-killed
    check "nothing left" test -z "$(find out-killed -name '.*' -type f)"
done
check "a rank was killed" test "${was_killed:-0}" -eq 1

# A damaged file is found by one rank, and ends all.
head -c 2000 packed.jsonl.gz >cut.jsonl.gz
ranks 3 -q "${options[@]}" -o out-cut plain.jsonl cut.jsonl.gz 2>errors
check "damage" test $? -eq 3
check "names the file" grep -q "cut.jsonl.gz: byte 2000" errors
check "no manifest" test ! -e out-cut/manifest.json
exit $failed
