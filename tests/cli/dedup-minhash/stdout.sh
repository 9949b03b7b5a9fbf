#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One stream in, one out; kept lines are the input's, byte for byte.
set -eu
dedup-minhash --threads 2 "$DATA/documents/v1/sample.jsonl" >kept.jsonl
echo "lines that are not in the input: $(grep -cvxFf "$DATA/documents/v1/sample.jsonl" kept.jsonl || true)"
wc -l <kept.jsonl
dedup-minhash -q - <"$DATA/documents/v1/sample.jsonl" | cmp - kept.jsonl
dedup-minhash -q <"$DATA/documents/v1/sample.jsonl.zst" /dev/stdin | cmp - kept.jsonl
cp kept.jsonl again.jsonl
dedup-minhash -q - <again.jsonl | cmp - kept.jsonl
echo "a second run finds nothing more"
