# SPDX-License-Identifier: BSD-3-Clause
# SentencePiece models, and a tokenizer.json with a BPE over characters: encode, verify, decode; the
# copy beside the shards is the same tokenizer; damaged files are named with the byte.
models=$DATA/token/models
printf '%s\n' '{"text":"The quick brown fox;  it'"'"'s gone.\n\tdone \u00e9\ud83d\ude00"}' \
    '{"text":" </s> <tag>foo bar"}' '{"text":""}' > d.jsonl
for name in sp_bpe_llama sp_unigram_fallback; do
    zstd -qdc "$models/$name.model.zst" > $name.model
    echo "-- $name"
    tok-shard -q -t $name.model -o $name d.jsonl
    tok-shard verify $name
    tok-shard decode $name
    tok-shard -q -t $name/tokenizer -o again d.jsonl
    cmp $name/shard-*.h5 again/shard-*.h5
    rm -rf again
done
echo "-- a folder with tokenizer.model"
mkdir folder
cp sp_bpe_llama.model folder/tokenizer.model
tok-shard -q -t folder -o again d.jsonl
cmp sp_bpe_llama/shard-*.h5 again/shard-*.h5
echo "-- tokenizer.json"
zstd -qdc "$models/hf_char_llama.json.zst" > tokenizer.json
tok-shard -q -t tokenizer.json -o hf d.jsonl
tok-shard verify hf
tok-shard decode hf
echo "-- damaged"
head -c 3000 sp_bpe_llama.model > cut.model
tok-shard -q -t cut.model -o out d.jsonl
echo "exit $?"
tok-shard -q -t sp_bpe_llama.model --pattern gpt2 -o out d.jsonl
echo "exit $?"
