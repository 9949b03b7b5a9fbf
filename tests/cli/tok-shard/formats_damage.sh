# SPDX-License-Identifier: BSD-3-Clause
# Damage of Megatron and MDS shards of ours is named, and done again.
run() { tok-shard -q -t "$DATA/token/hf_gpt2.json" --unit-size 8000 "$@"; }
check() { tok-shard verify "$@" 2>&1 | sed 's/[0-9a-f]\{32\}/HASH/g'; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
run -o h c.jsonl
fresh() { rm -rf m p; tok-shard convert -q h -o m --format megatron; run -o p --format mds --mds-size-limit 9KiB c.jsonl; }
fresh
printf '\x07' | dd of=m/tokens.bin bs=1 seek=20001 conv=notrunc status=none
check m
check --skip-hashes m
truncate -s -2 m/tokens.bin
check m
fresh
printf '\x07' | dd of=m/tokens.idx bs=1 seek=34 conv=notrunc status=none
check m
check --skip-hashes m
rm m/shard-00001-000.docs.h5
check --skip-hashes m
rm p/shard-00001-001.mds
printf 'x' >> p/index.json
check p
echo "-- complete means all files"
tok-shard convert -q h -o m --format megatron; echo "exit $?"
run -o p --format mds --mds-size-limit 9KiB c.jsonl; echo "exit $?"
tok-shard convert -q h -o m --format megatron --force && check m
echo "-- killed between two shards, with the last bytes missing"
tok-shard convert -q h -o k --format megatron --task 0/2
truncate -s 100 k/.tokens.bin.partial
tok-shard convert -q h -o k --format megatron && diff -r m k && echo "again: equal"
