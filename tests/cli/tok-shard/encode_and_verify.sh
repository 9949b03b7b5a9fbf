# SPDX-License-Identifier: BSD-3-Clause
# Encode, verify, look at it in every way.
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o shards --threads 2 "$DATA/tokshard/corpus.jsonl"
find shards -type f | sort
tok-shard verify shards
tok-shard stats shards
tok-shard decode shards --first 3 --count 2
tok-shard decode shards --first 3 --count 1 --keep-special --json | sed "s#$DATA#DATA#"
tok-shard cat shards --first 3 --count 2
