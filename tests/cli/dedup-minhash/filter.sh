#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# filter applies a removal list to files that have the bytes of those it was made from.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
make_inputs
make_corpus 77 30 >in/7.jsonl
dedup-minhash -q -o want --removal-list list.jsonl.zst in
dedup-minhash -q --removal-list list.jsonl in 2>&1 | tail -n 1
dedup-minhash filter --removal-list list.jsonl -o got in
for k in 1 2 3 4 6 7; do cmp want/$k.jsonl got/$k.jsonl; done
cmp <(zstdcat want/5.jsonl.zst) <(zstdcat got/5.jsonl.zst) && echo "as run"
dedup-minhash filter --removal-list list.jsonl -o got in
dedup-minhash filter -q --removal-list list.jsonl.zst -o - in/7.jsonl in/1.jsonl | cmp - <(cat want/7.jsonl want/1.jsonl) && echo "compressed list, other order"
echo "renamed"
cp in/2.jsonl other
dedup-minhash filter -q --removal-list list.jsonl -o - other | cmp - want/2.jsonl && echo "the same"
echo "unknown files"
sed 's/a/b/' in/2.jsonl >changed.jsonl
dedup-minhash filter --removal-list list.jsonl -o x.jsonl changed.jsonl || echo "exit $?"
dedup-minhash filter -q --removal-list list.jsonl --allow-unlisted -o x.jsonl changed.jsonl && cmp x.jsonl <(awk NF changed.jsonl) && echo "kept whole"
rm list.jsonl.manifest.json
dedup-minhash filter -q --removal-list list.jsonl -o x7.jsonl in/7.jsonl || echo "exit $?"
echo "bad lists"
try() { dedup-minhash filter --removal-list bad -o y.jsonl --force in/1.jsonl || echo "exit $?"; }
echo '{"file":"12","row":1}' >bad && try
echo '{"row":1}' >bad && try
echo 'x' >bad && try
sed -n 1p list.jsonl | sed 's/"row":[0-9]*/"row":99999/' >bad && try
dedup-minhash filter --removal-list missing in/1.jsonl || echo "exit $?"
dedup-minhash filter in/1.jsonl || echo "exit $?"
dedup-minhash filter --removal-list list.jsonl - </dev/null || echo "exit $?"
ls y.jsonl
