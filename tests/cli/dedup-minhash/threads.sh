#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same bytes for any number of threads and any memory.
set -eu
sample=$DATA/documents/v1/sample.jsonl
awk -v copies=300 '{ line[NR] = $0 } END { for (i = 1; i <= copies; ++i) for (k = 1; k <= NR; ++k) {
    text = line[k]; sub(/"text": *"/, "&word" i " part" i % 50 " copy" i % 7 " ", text); print text } }' \
    "$sample" >in.jsonl
dedup-minhash -q --threads 1 -o out1 --removal-list list1 in.jsonl
dedup-minhash -q --threads 2 -o out2 --removal-list list2 in.jsonl
dedup-minhash -q --threads 3 --memory 28M --max-line 64K -o out3 --removal-list list3 --report report.json in.jsonl
cmp out1/in.jsonl out2/in.jsonl
cmp out1/in.jsonl out3/in.jsonl
cmp list1 list2
cmp list1 list3
cmp out1/manifest.json out2/manifest.json
grep -c '"spilled_bytes": 0,' report.json || echo "spilled"
