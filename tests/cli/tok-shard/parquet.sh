# SPDX-License-Identifier: BSD-3-Clause
# Parquet in: the shards are those of the same rows as JSON Lines; row groups are units; refusals.
ln -s "$DATA/documents/parquet" files
files=files
tokenizer="$DATA/token/hf_gpt2.json"
tok-shard -q -t "$tokenizer" -o from-jsonl "$files/columns_v1.jsonl" 2>/dev/null --max-bad-records 30%
tok-shard -q -t "$tokenizer" -o whole "$files/columns_v1.parquet" 2>/dev/null --max-bad-records 30%
tok-shard cat from-jsonl >jsonl.ids
tok-shard cat whole | cmp - jsonl.ids && echo "same ids"
tok-shard -q -t "$tokenizer" -o cut --unit-size 4K --threads 2 "$files/columns_v1.parquet" \
    --max-bad-records 30% 2>/dev/null
tok-shard cat cut | cmp - jsonl.ids && echo "same ids from units"
ls cut | grep -c '^shard'
tok-shard verify --sample 100 cut
tok-shard -q -t "$tokenizer" -o nested --text-field doc.body.text --max-bad-records 60% \
    "$files/nested.parquet" 2>/dev/null
tok-shard cat nested | wc -l

tok-shard -q -t "$tokenizer" -o x "$files/refused_brotli.parquet"
echo "$?"
tok-shard -q -t "$tokenizer" -o x2 --text-field body "$files/zstd_v2_dict.parquet"
echo "$?"
tok-shard -q -t "$tokenizer" -o x3 - <"$files/zstd_v2_dict.parquet"
echo "$?"
tok-shard -q -t "$tokenizer" -o x4 --input-format parquet - <"$files/zstd_v2_dict.parquet"
echo "$?"
head -c 900 "$files/zstd_v2_dict.parquet" >cut.parquet
tok-shard -q -t "$tokenizer" -o x5 cut.parquet
echo "$?"
tok-shard -q -t "$tokenizer" -o x6 --input-format parquet "$files/zstd_v2_dict.jsonl"
echo "$?"
