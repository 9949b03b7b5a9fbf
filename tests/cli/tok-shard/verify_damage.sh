# SPDX-License-Identifier: BSD-3-Clause
# verify names what is wrong with shards.
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
fresh() { rm -rf s; tok-shard -q -t "$DATA/token/hf_gpt2.json" -o s --unit-size 8000 c.jsonl; }
check() { tok-shard verify "$@" s; echo "exit $?"; }
fresh; check
fresh; printf '\x01' | dd of=s/shard-00000-000.h5 bs=1 seek=5000 conv=notrunc status=none; check | sed 's/[0-9a-f]\{32\}/HASH/g'
fresh; printf '\xff\xff' | dd of=s/shard-00000-000.h5 bs=1 seek=5000 conv=notrunc status=none; check --skip-hashes
fresh; rm s/shard-00001-000.h5; check
fresh; truncate -s -1 s/shard-00001-000.h5; check
fresh; rm s/manifest.json; check
fresh; sed -i 's/quick/slow/g' c.jsonl; check --sample 200 | sed -n '1p;$p'
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
fresh; echo ' ' >> s/tokenizer/tokenizer.json; check
tok-shard -q -t "$DATA/token/hf_llama3.json" -o other c.jsonl
fresh; cp other/shard-00000-000.h5 s/shard-00000-000.h5; check | sed 's/[0-9a-f]\{32\}/HASH/g; s/[0-9]* bytes/N bytes/; s/says [0-9]*/says N/'
