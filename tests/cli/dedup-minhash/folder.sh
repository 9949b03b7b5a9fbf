#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The output folder mirrors the inputs; a finished one is left alone, another one is refused.
set -eu
mkdir -p in/a in/b
cp "$DATA/documents/v1/sample.jsonl.gz" in/a/x.jsonl.gz
cp "$DATA/documents/v1/sample.jsonl" in/b/x.jsonl
dedup-minhash -q -o out in
(cd out && find . -type f | sort)
dedup-minhash -q in/a/x.jsonl.gz | wc -l
dedup-minhash -q -o - out/a/x.jsonl.gz | wc -l
wc -c <out/b/x.jsonl
cp out/manifest.json before.json
dedup-minhash -o out in
dedup-minhash -o out --threshold 0.9 in || echo "exit $?"
dedup-minhash -o out --threshold 0.9 --report new.json in || echo "exit $?"
dedup-minhash -q -o out --report new.json in
test -s new.json
dedup-minhash -q -o out --force in
cmp before.json out/manifest.json
echo '{"text":"a new one"}' >>in/b/x.jsonl
dedup-minhash -o out in || echo "exit $?"
# Redone with fewer inputs: the files of the earlier run are gone.
cp -r out fewer
dedup-minhash -q -o fewer --force in/b/x.jsonl
(cd fewer && find . -type f | sort)
# ... unless one is the input now.
cp -r out inside
dedup-minhash -q -o inside --force inside/a/x.jsonl.gz
(cd inside && find . -type f | sort)
# The manifest of the input is found and named.
cp -r out again
dedup-minhash -q -o third again
grep -A 2 '"parents"' third/manifest.json | sed 's/"[0-9a-f]\{32\}"/HASH/'
