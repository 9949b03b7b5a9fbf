# SPDX-License-Identifier: BSD-3-Clause
# Many threads work on several units at once and unpack frames ahead: the same bytes, the same words about bad
# records, the error of the first unit that fails, and killed at any moment it goes on.
t=$DATA/token/hf_gpt2.json
run() { tok-shard -q -t "$t" --unit-size 20000 --shard-tokens 4000 --max-line 1MiB "$@"; }
for i in $(seq 30); do cat "$DATA/tokshard/corpus.jsonl"; done > plain.jsonl
for i in $(seq 12); do zstd -qc "$DATA/tokshard/corpus.jsonl"; done > frames.jsonl.zst
gzip -c "$DATA/tokshard/corpus.jsonl" > packed.jsonl.gz
awk '{print} NR % 40 == 0 {print "{\"text\":}"}' plain.jsonl > some_bad.jsonl
inputs="plain.jsonl frames.jsonl.zst packed.jsonl.gz some_bad.jsonl"
run --max-bad-records 5% -o one --threads 1 $inputs 2> one.err
echo "exit $?"
ls one | grep -c -- -000.h5
for threads in 4 8 24; do
    run --max-bad-records 5% -o many-$threads --threads $threads $inputs 2> many.err
    diff -r one many-$threads && cmp one.err many.err && echo "$threads threads: equal"
done
echo "-- killed"
for moment in 0.03 0.06 0.09 0.12 0.15 0.2 0.25 0.3 0.4 0.5; do
    # Waited for: it holds its lock until the last of its threads is gone.
    tok-shard -q -t "$t" --unit-size 20000 --shard-tokens 4000 --max-line 1MiB --max-bad-records 5% --threads 16 \
        -o killed $inputs 2> /dev/null &
    sleep $moment
    kill -KILL $!
    wait $!
done 2> /dev/null
run --max-bad-records 5% --threads 12 -o killed $inputs 2> killed.err || tail -1 killed.err
diff -r one killed && echo "equal"
echo "-- the first unit that fails"
cp frames.jsonl.zst damaged.jsonl.zst
size=$(stat -c %s damaged.jsonl.zst)
printf X | dd of=damaged.jsonl.zst bs=1 seek=$((size / 2)) conv=notrunc status=none
head -c 3000 packed.jsonl.gz > cut.jsonl.gz
for threads in 1 24; do
    run --threads $threads -o fails-$threads plain.jsonl damaged.jsonl.zst plain.jsonl cut.jsonl.gz 2> fails-$threads.err
    echo "exit $?"
done
cmp fails-1.err fails-24.err && sed 's,byte [0-9]*: frame [0-9]*: .*,byte N: frame N: what is wrong,' fails-1.err
test ! -e fails-24/manifest.json && echo "no manifest"
