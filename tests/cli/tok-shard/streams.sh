# SPDX-License-Identifier: BSD-3-Clause
# A program that fails before the pipe does not give a complete data set.
run() { tok-shard -q -t "$DATA/token/hf_gpt2.json" "$@"; echo "exit $?"; ls ./*/manifest.json 2>/dev/null; }
head -c 1500 "$DATA/tokshard/corpus.jsonl" > torn.jsonl
false | run -o s -
run -o s - < torn.jsonl
run -o pipe <(cat torn.jsonl) 2>&1 | sed 's#/dev/fd/[0-9]*#PIPE#g'
printf '{"text":"whole, but for its newline"}' | run -o s -
false | tok-shard train -q -o t.json -
echo "exit $?"
run -o file --max-bad-records 1 torn.jsonl
