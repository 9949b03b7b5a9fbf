# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# tokenize.sbatch as it stands: as a job array, as one job of four processes on four hosts, and as an array whose
# tasks are two processes each. All give the bytes of a plain run; a process that is killed is done again.
SCRIPT=$(cd "${LAB_SH%/*}/../../../slurm/sbatch" && pwd)/tokenize.sbatch
DATA=$(cd "${LAB_SH%/*}/../../data" && pwd)
mkdir in
for i in $(seq 12); do
    for _ in $(seq 10); do cat "$DATA/tokshard/corpus.jsonl"; done >"in/$i.jsonl"
done
gzip in/3.jsonl
cp "$DATA/token/hf_gpt2.json" tokenizer.json
# The script has no options of its own: the units come out of a wrapper.
mkdir bin
printf '#!/bin/sh\nexec %s/tok-shard --unit-size 100000 "$@"\n' "$LONGHAUL_BIN" >bin/tok-shard
chmod +x bin/tok-shard
mapfile -t inputs < <(find in -type f | LC_ALL=C sort)
lab run env -C "$SHARED" bin/tok-shard -q -t tokenizer.json -o plain "${inputs[@]}" || fail "a plain run: $?"
tokenize() { # tokenize OUTPUT OPTION...: prints the job's id
    local output=$1
    shift
    submit --cpus-per-task=1 --time=10 "--export=ALL,PATH=$SHARED/bin:$PATH" "$@" "$SCRIPT" tokenizer.json "$output" in
}
equal_to_plain() { diff -r plain "$1" >differences || fail "$1: $(head -n 5 differences)"; }
is_complete() { test -e "$1/manifest.json"; }
no_lock_left() { test -z "$(find "$1" -name '.*' -type f)"; }

tokenize array --array=0-2 >/dev/null
wait_for 200 "the array is complete" is_complete array
wait_for 60 "its tasks are over" no_lock_left array
equal_to_plain array
say "ok: an array of three"

job=$(tokenize ranks --nodes=4 --ntasks=4 --ntasks-per-node=1)
wait_state "$job" COMPLETED 200
equal_to_plain ranks
hosts=$(field "$job" NodeList)
expect "hosts" "$(field "$job" NumNodes)" 4
expect_line "job-$job.out" 'task 3 of 4: '
say "ok: one job of four processes on $hosts"

tokenize both --array=0-1 --nodes=2 --ntasks=2 --ntasks-per-node=1 >/dev/null
wait_for 200 "array and processes are complete" is_complete both
wait_for 60 "all of them are over" no_lock_left both
equal_to_plain both
say "ok: an array of two tasks of two processes"
