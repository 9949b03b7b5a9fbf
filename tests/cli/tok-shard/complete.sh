# SPDX-License-Identifier: BSD-3-Clause
# Complete means whole: damage and changed inputs are refused by name, and --force repairs.
run() { tok-shard -q -t "$DATA/token/hf_gpt2.json" --unit-size 8000 -o s "$@" c.jsonl; echo "exit $?"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
run
cp -r s whole
redo() { run; run --force; diff -r s whole && echo "made again: equal"; }
rm s/shard-00001-000.h5; redo
: > s/shard-00001-000.h5; redo
truncate -s -1 s/shard-00001-000.h5; redo
echo '{}' > s/manifest.json; redo
truncate -s 100 s/manifest.json; redo
rm -r s/tokenizer; redo
echo '{}' > s/tokenizer/tokenizer.json; touch s/.shard-00000-000.h5.tmp-1-1; redo
echo "-- inputs"
touch c.jsonl; run
sed 's/quick/slick/g' c.jsonl > d.jsonl; mv d.jsonl c.jsonl; run
