# SPDX-License-Identifier: BSD-3-Clause
# Files of Megatron and mosaicml-streaming: read in place, or converted into folders of ours.
cp -r "$DATA/shards" data
cd data || exit 1
t=$DATA/token/hf_gpt2.json
run() { "$@"; echo "exit $?"; }
for set in megatron_u16 megatron_i32.idx mds_documents mds_columns mds_samples; do
    run tok-shard verify $set
    tok-shard stats $set | head -n 4
done
tok-shard cat megatron_sentences --first 4 --count 2 --json
run tok-shard verify -t "$t" --eos '<|endoftext|>' mds_documents
run tok-shard verify --vocab-size 100 megatron_u16
run tok-shard decode megatron_u16
tok-shard decode -t "$t" mds_columns --count 2 | od -c | head -n 3
run tok-shard convert -q -t "$t" megatron_u16 -o h --format hdf5
run tok-shard verify h
tok-shard cat h | cmp - <(tok-shard cat megatron_u16) && echo "hdf5: equal"
run tok-shard convert -q h -o m --format megatron
cmp m/tokens.bin megatron_u16.bin && cmp m/tokens.idx megatron_u16.idx && echo "and back: equal"
run tok-shard convert -q -t "$t" mds_documents -o s --format mds --mds-size-limit 3000
for shard in 0 1 2 3; do cmp s/shard-00000-00$shard.mds mds_documents/shard.0000$shard.mds && echo "mds: equal"; done
run tok-shard convert -q megatron_u16 -o n --format hdf5
echo "-- damage"
truncate -s -1 megatron_u16.idx
run tok-shard verify megatron_u16
rm mds_documents/shard.00002.mds
run tok-shard verify mds_documents
run tok-shard cat mds_documents --count 1
run tok-shard verify --column url mds_columns
tok-shard cat mds_columns/index.json --first 1 --count 1
run tok-shard convert -q h -o x --format mds --mds-size-limit 8GiB
run tok-shard convert -q h -o x --format mds --shard-tokens 5
run tok-shard convert -q h -o x --format hdf5 --mds-sample 5
run tok-shard convert -q h -o x
echo "-- ids that the tokenizer does not have"
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
tok-shard train -q --vocab-size 300 -o small.json c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" --format megatron -o large c.jsonl
for end in bin idx; do cp large/shard-00000-000.$end large.$end; done
tok-shard decode large.idx -t small.json | wc -l
tok-shard decode large | wc -l # the folder, whose name a prefix beside it has too
