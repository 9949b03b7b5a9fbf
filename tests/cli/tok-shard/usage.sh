# SPDX-License-Identifier: BSD-3-Clause
# Wrong usage is 2 and says what to do.
run() { "$@"; echo "exit $?"; }
run tok-shard
run tok-shard -t "$DATA/token/hf_gpt2.json" -o x
run tok-shard -t "$DATA/token/ranks.tiktoken" -o x "$DATA/tokshard/corpus.jsonl" 2>&1 | sed "s#$DATA#DATA#g"
run tok-shard -t "$DATA/token/ranks.tiktoken" --pattern gpt5 -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/ranks.tiktoken" --pattern cl100k -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/ranks.tiktoken" --pattern cl100k --special nonsense -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/hf_gpt2.json" --pattern gpt2 -o x "$DATA/tokshard/corpus.jsonl" 2>&1 | sed "s#$DATA#DATA#g"
run tok-shard -t "$DATA/token/hf_gpt2.json" --eos '<none>' -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/hf_gpt2.json" --task 3/3 -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/hf_gpt2.json" --memory 1MiB --threads 1 -o x "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/hf_gpt2.json" --unit-size 0 -o y "$DATA/tokshard/corpus.jsonl"
run tok-shard -t "$DATA/token/hf_gpt2.json" -o y "$DATA/tokshard" 2>&1 | sed "s#$DATA#DATA#g"
run tok-shard verify
run tok-shard decode nowhere
