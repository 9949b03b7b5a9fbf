# SPDX-License-Identifier: BSD-3-Clause
# The same documents in every format: encoding into one equals converting to it, and back.
run() { tok-shard -q -t "$DATA/token/hf_gpt2.json" --unit-size 5000 --shard-tokens 900 "$@"; }
convert() { tok-shard convert -q "$@"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
shards_of() { (cd "$1" && find . -name 'shard-*' | sort | xargs cat | cksum); }
run -o hdf5 --threads 2 c.jsonl
run -o megatron --format megatron c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" --unit-size 5000 -o mds --format mds --mds-size-limit 3KiB c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" --unit-size 5000 -o packed --format mds --mds-sample 128 --mds-type uint16 \
    --mds-size-limit 2KiB c.jsonl
for format in megatron mds packed; do find $format -maxdepth 1 -type f | sort | head -n 6; done

convert hdf5 -o c_megatron --format megatron --per-shard
convert hdf5 -o c_mds --format mds --mds-size-limit 3KiB --threads 3
convert hdf5 -o c_packed --format mds --mds-sample 128 --mds-type uint16 --mds-size-limit 2KiB
for format in megatron mds packed; do
    [ "$(shards_of $format)" = "$(shards_of c_$format)" ] && cmp $format/index.json c_$format/index.json 2>/dev/null
    [ "$(shards_of $format)" = "$(shards_of c_$format)" ] && echo "$format: encoded is converted"
done

convert hdf5 -o merged --format megatron
(cd merged && echo tokens*)
cat megatron/shard-*.bin | cmp - merged/tokens.bin && echo "merged: the shards in a row"
for source in megatron merged c_mds; do
    convert $source -o back_$source --format hdf5
    diff <(cd hdf5 && cat shard-*.h5 | cksum) <(cd back_$source && cat shard-*.h5 | cksum) && echo "$source: back to the same bytes"
done
convert c_mds -o mds_merged --format megatron
cmp mds_merged/tokens.bin merged/tokens.bin && cmp mds_merged/tokens.idx merged/tokens.idx && echo "mds to megatron: equal"
tok-shard decode hdf5 > text
for folder in megatron mds merged mds_merged back_c_mds; do
    tok-shard decode $folder | cmp - text && tok-shard verify $folder | sed 's/^ok *//'
done
tok-shard verify packed
tok-shard cat hdf5 | tr ' ' '\n' | grep -c . > total
tok-shard cat packed | tr ' ' '\n' | grep -c .
sed -n 's/.*"dropped_tokens": \([0-9]*\).*/dropped \1/p' packed/manifest.json
cat total

echo "-- tasks, killed tasks, again"
for task in 2 0 1; do convert hdf5 -o tasks --format megatron --task $task/3; done
diff -r merged tasks && echo "tasks: equal"
convert hdf5 -o part --format megatron --task 0/2
ls part/tokens.bin 2>/dev/null || echo "half: no tokens.bin yet"
convert hdf5 -o part --format megatron
diff -r merged part && echo "resumed: equal"
convert hdf5 -o part --format megatron && echo "complete: 0"
convert hdf5 -o part --format mds; echo "exit $?"
convert packed -o nowhere --format hdf5; echo "exit $?"
convert hdf5 -o hdf5 --format mds; echo "exit $?"
grep -A 2 '"parents"' merged/manifest.json | grep -c '"[0-9a-f]\{32\}"'
echo "-- documents without text"
printf '{"text":"one"}\n{"text":""}\n{"text":"two"}\n' > e.jsonl
for word in skip keep bare; do
    tok-shard -q -t "$DATA/token/hf_gpt2.json" -o e_$word --format megatron --empty $word e.jsonl
    tok-shard verify e_$word | sed 's/^ok *//'
    tok-shard cat e_$word | sed 's/^$/(none)/'
done
# 2 sequences, 4 document indices: what preprocess_data.py makes of it.
od -A d -t u1 -j 18 -N 16 e_bare/shard-00000-000.idx
