# SPDX-License-Identifier: BSD-3-Clause
# --invalid-utf8 bytes: bytes that are not UTF-8 as tokens of bytes, and back; --lone-surrogates.
run() { "$@"; echo "exit $?"; }
tokenizer=$DATA/token/hf_gpt2.json
printf '{"text":"good \xc3\xa9"}\n{"text":"not \xff\xfe good \\ud83d\\ude00"}\n{"text":"cut \xe2\x82"}\n' >in.jsonl
printf '{"text":"fine","\xff":"\xff"}\n{"text":\xff}\n{"text":"\\\xff"}\n{"text":"lone \\udc00 half"}\n' >>in.jsonl
for format in hdf5 megatron mds; do
    run tok-shard -q -t "$tokenizer" -o $format --format $format --invalid-utf8 bytes --max-bad-records 2 in.jsonl
    run tok-shard verify $format
done
tok-shard decode hdf5 | od -A n -c
tok-shard decode hdf5 --json --count 3
tok-shard decode hdf5 --keep-special --count 1
tok-shard stats hdf5 | head -n 4
members() { tr -d ' \n' <"$1/manifest.json" | grep -o '"\(invalid_utf8\|lone_surrogates\|raw_bytes\|replaced_utf8\)":["a-z0-9]*'; }
members hdf5
tok-shard convert -q mds -o back --format hdf5
cmp back/shard-00000-000.h5 hdf5/shard-00000-000.h5 && tok-shard decode back | cmp - <(tok-shard decode hdf5) && echo "converted: equal"
printf 'raw \xff\xc3( line\n\xed\xa0\x80 encoded surrogate\n' >in.txt
run tok-shard -q -t "$tokenizer" -o lines --invalid-utf8 bytes --input-format lines in.txt
tok-shard decode lines | cmp - in.txt && run tok-shard verify lines
run tok-shard -q -t "$tokenizer" -o file --invalid-utf8 bytes --input-format file in.txt
tok-shard decode file | head -c -1 | cmp - in.txt && run tok-shard verify file
printf '{"text":"\xff<|endoftext|>\xfe"}\n' >special.jsonl
run tok-shard -q -t "$tokenizer" -o refused --invalid-utf8 bytes --special-text refuse --max-bad-records 1 special.jsonl

echo "-- byte fallback; and models that have no bytes"
for model in sp_bpe_llama.model hf_word_piece.json hf_unigram.json sp_unigram_nfkc.model; do
    zstd -q -d "$DATA/token/models/$model.zst" -o $model
done
printf '{"text":"a\xff\xe2\x82 b"}\n' >bytes.jsonl
run tok-shard -q -t sp_bpe_llama.model -o llama --invalid-utf8 bytes bytes.jsonl
tok-shard decode llama | od -A n -c
run tok-shard verify llama
run tok-shard -q -t hf_word_piece.json --eos none -o no --invalid-utf8 bytes bytes.jsonl
run tok-shard -q -t hf_unigram.json --eos none -o no --invalid-utf8 bytes bytes.jsonl
run tok-shard -q -t sp_unigram_nfkc.model --eos none -o no --invalid-utf8 bytes bytes.jsonl
run tok-shard train -q -o t.json --invalid-utf8 bytes in.jsonl

echo "-- lone surrogates"
printf '{"text":"a\\ud800"}\n{"text":"\\ud83d\\ude00"}\n{"text":"b","c":"\\udfff"}\n' >lone.jsonl
run tok-shard -q -t "$tokenizer" -o replaced lone.jsonl
run tok-shard -q -t "$tokenizer" -o bad --lone-surrogates bad --max-bad-records 1 lone.jsonl
run tok-shard -q -t "$tokenizer" -o fails --lone-surrogates bad --on-bad-record fail lone.jsonl
run tok-shard -q -t "$tokenizer" -o fails --lone-surrogates what lone.jsonl
for folder in replaced bad; do
    tok-shard decode $folder
    run tok-shard verify $folder
    members $folder
done
