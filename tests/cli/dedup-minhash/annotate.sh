#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --annotate writes all good records with a member that says what stays and with whom it stands.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
make_inputs
dedup-minhash -q -o want in
dedup-minhash -q --annotate dup -o all --removal-list list in 2>&1 | tail -n 1
strip() { sed 's/,"dup":{[^{}]*}}/}/'; }
for k in 1 2 3 4 6; do
    strip <all/$k.jsonl | cmp - <(awk 'NF && !/"text": 3/' in/$k.jsonl)
    grep '"kept":true' all/$k.jsonl | strip | cmp - want/$k.jsonl
done
cat all/*.jsonl <(zstdcat all/5.jsonl.zst) | grep -c '"kept":false'
grep -c match_row list
head -n 1 all/1.jsonl | sed 's/.*,"dup"/"dup"/'
grep -m 1 '"near"' all/1.jsonl | sed 's/.*,"dup"/"dup"/'
# The stages give the same.
dedup-minhash -q --work work --units 3 --annotate dup -o staged in 2>/dev/null
diff -r all staged && echo "stages"
dedup-minhash apply -q work -o plain && diff -r want plain && echo "the same work, filtered"
echo "refused"
dedup-minhash --annotate text -o x.jsonl in/1.jsonl || echo "exit $?"
dedup-minhash --annotate score -o x.jsonl in/1.jsonl || echo "exit $?"
dedup-minhash --annotate 'a"b' -o x.jsonl in/1.jsonl || echo "exit $?"
dedup-minhash --annotate dup --removal-list l in/1.jsonl || echo "exit $?"
dedup-minhash --annotate dup --input-format lines -o x.jsonl in/1.jsonl || echo "exit $?"
ls x.jsonl
printf '\xEF\xBB\xBF{"text":"a"}  \r\n{"text":"b"}' | dedup-minhash -q --annotate d - | od -c | sed 's/[0-9a-f]\{32\}//' | head -n 3
