#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Wrong usage, outputs that can not be written, and what --dry-run says.
sample=$DATA/documents/v1/sample.jsonl
cp "$sample" c.jsonl
echo precious >notes
try() { dedup-minhash spans -q "$@"; echo "exit $?"; }
try
try --unit word c.jsonl
try --unit substring --min-length 7 c.jsonl
try --unit substring --min-length 100K c.jsonl
try --unit substring --min-length 40000 c.jsonl
try --unit substring --max-copies 2 c.jsonl
try --max-copies 0 c.jsonl
try --max-line 5GiB c.jsonl
try --threads 1 --memory 10M c.jsonl
try a.jsonl c.jsonl
try -o notes c.jsonl
try -o zz.jsonl --removal-list notes c.jsonl
try -o zz.jsonl --report c.jsonl c.jsonl
try --tmp-dir none c.jsonl
dedup-minhash spans -q c.jsonl >/dev/full
echo "full stdout: exit $?"
set -o pipefail
seq 1 20000 | tr 0-9 a-j | sed 's/.*/{"text":"&"}/' >many.jsonl
dedup-minhash spans -q many.jsonl | head -n 1 | wc -l
echo "closed pipe: exit ${PIPESTATUS[*]}"
cat notes
ls
echo "--- dry run"
dedup-minhash spans --dry-run --threads 1 --memory 2GiB --unit substring -o out --removal-list list c.jsonl many.jsonl |
    sed "s|in [^ ]*\$|in TMPDIR|"
