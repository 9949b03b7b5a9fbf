# SPDX-License-Identifier: BSD-3-Clause
# Bytes that are not UTF-8: bad records, an error, or replaced; in the manifest, and verified.
tokenizer=$DATA/token/hf_gpt2.json
printf '{"text":"good"}\n{"text":"not \xff\xfe good"}\n{"text":"lone \\ud800 half"}\n' >in.jsonl
tok-shard -q -t "$tokenizer" -o bad in.jsonl
echo "exit $?"
tok-shard -q -t "$tokenizer" -o skip --max-bad-records 1 in.jsonl
tok-shard decode skip
tok-shard -q -t "$tokenizer" -o replace --invalid-utf8 replace in.jsonl
tok-shard decode replace
tok-shard verify --sample 10 replace
grep -o '"invalid_utf8":"[a-z]*"\|"replaced_utf8":[0-9]*\|"lone_surrogates":[0-9]*' \
    <(tr -d ' \n' <replace/manifest.json)
# Documents longer than a shard stay whole; a shard holds at least one.
echo "{\"text\":\"$(seq -s ' ' 1 200)\"}" >long.jsonl
printf '{"text":"short"}\n' >>long.jsonl
cat long.jsonl long.jsonl >longs.jsonl
tok-shard -q -t "$tokenizer" -o longs --shard-tokens 50 longs.jsonl
find longs -name '*.h5' | sort
tok-shard verify --sample 10 longs
tok-shard cat longs | awk '{ print NF }'
