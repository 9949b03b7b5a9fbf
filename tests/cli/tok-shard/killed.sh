# SPDX-License-Identifier: BSD-3-Clause
# Killed at any moment and run again: the same bytes and nothing left over. One process at a time.
t=$DATA/token/hf_gpt2.json
for _ in $(seq 40); do cat "$DATA/tokshard/corpus.jsonl"; done > c.jsonl
run() { tok-shard -q -t "$t" --unit-size 20000 --shard-tokens 4000 --threads 1 "$@" c.jsonl; }
run -o whole
for moment in 0.02 0.05 0.1 0.15 0.2 0.3; do
    timeout -s KILL $moment tok-shard -q -t "$t" --unit-size 20000 --shard-tokens 4000 --threads 1 -o killed c.jsonl 2> /dev/null
done 2> /dev/null
run -o killed && diff -r whole killed && echo "killed and finished: equal"
echo "-- what a killed run leaves"
run -o left --task 0/2
touch left/.shard-00001-000.h5.tmp-1 left/.shard-00001-001.h5.tmp-99999999-0
run -o left && diff -r whole left && echo "equal"
echo "-- two at once"
mkdir busy
flock busy/.task-0-of-1.lock tok-shard -q -t "$t" -o busy c.jsonl
echo "exit $?"
run -o busy --force && run -o busy && diff -r whole busy && echo "later: equal"
echo "-- inputs that are odd"
: > empty.jsonl.gz
tok-shard -q -t "$t" -o e empty.jsonl.gz
echo "exit $?"
head -2 c.jsonl > short.jsonl
tok-shard -q -t "$t" -o twice short.jsonl short.jsonl
tok-shard cat twice | wc -l
echo "-- killed after the manifest"
mkdir -p whole/.units && touch whole/.units/unit-00000.json whole/.task-0-of-1.lock
run -o whole && diff -r killed whole && echo "equal"
