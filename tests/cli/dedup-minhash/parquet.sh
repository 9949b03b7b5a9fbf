# SPDX-License-Identifier: BSD-3-Clause
# Parquet in: the same removals as of the same rows as JSON Lines; the rows that stay as lines.
ln -s "$DATA/documents/parquet" files
files=files
mkdir in
cp "$files/columns_v1.parquet" "$files/columns_v2.parquet" in
dedup-minhash -q --max-bad-records 30% -o out --removal-list list in 2>/dev/null
ls -R out
zstd -dcq out/columns_v1.jsonl.zst | head -n 3
zstd -dcq out/columns_v1.jsonl.zst out/columns_v2.jsonl.zst | wc -l
cut -d, -f3 list | sort | uniq -c
mkdir lines
cp "$files/columns_v1.jsonl" "$files/columns_v2.jsonl" lines
dedup-minhash -q --max-bad-records 30% -o out2 --removal-list list2 lines 2>/dev/null
cmp <(sed 's/"file":"[^"]*"//; s/"match_file":"[^"]*"//' list) \
    <(sed 's/"file":"[^"]*"//; s/"match_file":"[^"]*"//' list2) && echo "same removals"
dedup-minhash filter -q --removal-list list -o again in
cmp out/columns_v1.jsonl.zst again/columns_v1.jsonl.zst && echo "filter gives the same"
dedup-minhash -q --max-bad-records 30% -o x.parquet in/columns_v1.parquet
echo "$?"
dedup-minhash -q -o x.jsonl - <in/columns_v1.parquet
echo "$?"
