# SPDX-License-Identifier: BSD-3-Clause
# A tokenizer trained here: deterministic, loadable, and equal for any number of threads.
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
tok-shard train -q -o one.json --vocab-size 400 --threads 1 c.jsonl
tok-shard train -q -o two.json --vocab-size 400 --threads 3 c.jsonl
cmp one.json two.json && echo "threads: equal"
head -c 300 one.json; echo
tok-shard train -o one.json c.jsonl
echo "exit $?"
stat -c %Y.%i one.json > before
tok-shard train -q -o one.json --vocab-size 400 c.jsonl && stat -c %Y.%i one.json | cmp - before && echo "complete: kept"
sed 's/quick/slick/' c.jsonl > d.jsonl
cp one.json damaged.json; cp one.json.manifest.json damaged.json.manifest.json; echo >> damaged.json
tok-shard train -o damaged.json --vocab-size 400 c.jsonl
echo "exit $?"
cp c.jsonl kept.jsonl; cp d.jsonl c.jsonl
tok-shard train -o one.json --vocab-size 400 c.jsonl
echo "exit $?"
cp kept.jsonl c.jsonl
cp one.json bare.json
tok-shard train -o bare.json --vocab-size 400 c.jsonl
echo "exit $?"
tok-shard train -o three.json --vocab-size 100 c.jsonl
echo "exit $?"
tok-shard train -q -o four.json --vocab-size 5000 --pattern o200k --special '<s>' --special '</s>' c.jsonl
echo "exit $?"
tok-shard -q -t four.json -o shards c.jsonl
tok-shard cat shards --count 1
tok-shard selftest -t four.json --texts 200 c.jsonl | grep -v tokenizer
