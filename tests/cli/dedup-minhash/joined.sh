#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Several inputs in one stream: a newline between them, a byte order mark at its begin only.
set -eu
printf '\xEF\xBB\xBF{"text":"one"}' >a.jsonl
printf '\xEF\xBB\xBF{"text":"two"}\n{"text":"three"}' >b.jsonl
printf '{"text":"one"}\n' >c.jsonl
printf '\xEF\xBB\xBF' >d.jsonl
printf '\xEF\xBB\xBF{"text":"four"}' >e.jsonl
dedup-minhash -q -o - a.jsonl b.jsonl c.jsonl d.jsonl e.jsonl | od -An -c
dedup-minhash -q -o - a.jsonl b.jsonl c.jsonl d.jsonl e.jsonl | dedup-minhash -q - | wc -l
echo "--- files stay as they are"
dedup-minhash -q -o out a.jsonl b.jsonl
cmp a.jsonl out/a.jsonl
cmp b.jsonl out/b.jsonl
