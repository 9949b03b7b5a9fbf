# SPDX-License-Identifier: BSD-3-Clause
# Damage in a source is not written under a new hash.
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" --shard-tokens 5000 -o h5 c.jsonl
flip() { printf '\x55' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
cp -r h5 bad
flip bad/shard-00000-001.h5 5000
for format in megatron mds; do
    tok-shard convert -q bad -o "from-bad-$format" --format $format
    echo "exit $?"
    tok-shard convert -q h5 -o $format --format $format
    cp -r $format bad-$format
done
flip bad-megatron/tokens.bin 5000
flip bad-mds/shard-00000-000.mds 3000
for format in megatron mds; do
    tok-shard convert -q bad-$format -o back-$format --format hdf5
    echo "exit $?"
done
cp -r megatron other
flip other/shard-00000-000.docs.h5 2700
tok-shard convert -q other -o back-other --format hdf5
echo "exit $?"
# Nor is one shard's damage a reason to stop the tasks of others.
tok-shard convert -q bad -o tasks --format megatron --per-shard --task 0/3
echo "exit $?"
echo "-- places and samples"
tok-shard convert -q h5 -o h5/inside --format mds
tok-shard convert -q h5 -o short --format mds --mds-sample 20000
tok-shard convert h5 -o samples --format mds --mds-sample 1000
tok-shard -q -t "$DATA/token/hf_gpt2.json" --format mds --mds-sample 20000 -o empty c.jsonl
for folder in h5/inside short; do [ -e "$folder" ] && echo "$folder is there"; done
true
