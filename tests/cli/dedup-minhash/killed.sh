#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Killed at any moment and run again: the same bytes, and nothing left behind.
set -eu
sample=$DATA/documents/v1/sample.jsonl
awk -v copies=400 '{ line[NR] = $0 } END { for (i = 1; i <= copies; ++i) for (k = 1; k <= NR; ++k) {
    text = line[k]; sub(/"text": *"/, "&word" i " part" i % 50 " copy" i % 7 " ", text); print text } }' \
    "$sample" >in.jsonl
dedup-minhash -q -o want in.jsonl
for delay in 0.05 0.1 0.2 0.3 0.4; do
    dedup-minhash -q -o out in.jsonl &
    sleep $delay
    { kill -KILL $! && wait $!; } 2>/dev/null || true # in one: bash tells of the end when it sees it
    dedup-minhash -q -o out in.jsonl
    cmp want/in.jsonl out/in.jsonl
    cmp want/manifest.json out/manifest.json
    (cd out && find . -type f | sort | tr '\n' ' ')
    rm -r out
done
