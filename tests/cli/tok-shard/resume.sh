# SPDX-License-Identifier: BSD-3-Clause
# A complete output is left alone, an unfinished one is finished, a different one is refused.
run() { tok-shard -t "$DATA/token/hf_gpt2.json" --unit-size 5000 "$@"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
run -q -o whole c.jsonl
run -q -o part --task 0/2 c.jsonl
stat -c %Y.%i part/shard-00000-000.h5 > before
run -q -o part c.jsonl
stat -c %Y.%i part/shard-00000-000.h5 | cmp - before && echo "unit 0 was kept"
diff -r whole part && echo "resumed: equal"
run -q -o whole c.jsonl && echo "complete: 0"
echo "-- damaged unit"
run -q -o torn --task 0/2 c.jsonl
truncate -s 100 torn/shard-00000-000.h5
run -q -o torn c.jsonl
diff -r whole torn && echo "done again: equal"
echo "-- other options"
run -q -o whole --empty keep c.jsonl
echo "exit $?"
echo '{"text":"more"}' >> c.jsonl
run -q -o whole c.jsonl
echo "exit $?"
run -q -o whole --force c.jsonl
echo "exit $?"
mkdir other && touch other/file
run -q -o other c.jsonl
echo "exit $?"
echo "-- stdin"
run -q -o stream - < c.jsonl && run -q -o stream - < c.jsonl && echo "same stream: 0"
head -5 c.jsonl | run -q -o stream -
echo "exit $?"
