#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The output folder mirrors the inputs; a finished one is left alone, another one is refused; what
# stays is the same from files, pipes and compressed inputs.
set -eu
mkdir -p in/a in/b
line='This line is long enough to be removed when it comes again.'
for i in $(seq 1 60); do printf '{"text":"%s\\nof its own: %d %d","n":%d}\n' "$line" "$i" "$i" "$i"; done >in/a/x.jsonl
gzip -c in/a/x.jsonl >in/b/x.jsonl.gz
zstd -q in/a/x.jsonl -o in/b/y.jsonl.zst
dedup-minhash spans -q --min-length 10 -o out in
(cd out && find . -type f | sort)
head -n 2 out/a/x.jsonl
gzip -dc out/b/x.jsonl.gz | wc -c
grep -A 12 '"options"' out/manifest.json
grep -A 9 '"details"' out/manifest.json
cp out/manifest.json before.json
dedup-minhash spans --min-length 10 -o out in
dedup-minhash spans --min-length 11 -o out in || echo "exit $?"
dedup-minhash -o out in || echo "exit $?"
dedup-minhash spans -q --min-length 10 -o out --report new.json in
test -s new.json
dedup-minhash spans -q --min-length 10 -o out --force in
cmp before.json out/manifest.json
rm out/manifest.json
dedup-minhash spans -q --min-length 10 -o out in
cmp before.json out/manifest.json
echo "--- streams"
for unit in line paragraph substring; do
    dedup-minhash spans -q --unit $unit --min-length 10 in/a/x.jsonl >want.jsonl
    dedup-minhash spans -q --unit $unit --min-length 10 - <in/a/x.jsonl | cmp - want.jsonl
    gzip -c in/a/x.jsonl | dedup-minhash spans -q --unit $unit --min-length 10 --threads 2 - | cmp - want.jsonl
    dedup-minhash spans -q --unit $unit --min-length 10 in/b/y.jsonl.zst | cmp - want.jsonl
    dedup-minhash spans -q --unit $unit --min-length 10 want.jsonl >again
    cmp again want.jsonl
    echo "$unit: a second run finds nothing more"
done
echo "--- a list alone"
dedup-minhash spans -q --removal-list list.gz in/a/x.jsonl
gzip -dc list.gz | wc -l
grep '"kind"' list.gz.manifest.json
dedup-minhash filter -q --removal-list list.gz -o - in/a/x.jsonl || echo "filter: exit $?"
