#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same bytes for any number of threads and any memory, and after a kill.
set -eu
sample=$DATA/documents/v1/sample.jsonl
awk -v copies=300 '{ line[NR] = $0 } END { for (i = 1; i <= copies; ++i) for (k = 1; k <= NR; ++k) {
    text = line[k]; sub(/"text": *"/, "&word" i " part" i % 50 " copy" i % 7 " ", text); print text } }' \
    "$sample" >in.jsonl
for unit in line substring; do
    run() { dedup-minhash spans -q --unit $unit --min-length 20 "$@" in.jsonl; }
    run --threads 1 -o out1 --removal-list list1
    run --threads 2 -o out2 --removal-list list2
    run --threads 3 --memory 28M --max-line 64K -o out3 --removal-list list3 --report report.json
    cmp out1/in.jsonl out2/in.jsonl
    cmp out1/in.jsonl out3/in.jsonl
    cmp list1 list2
    cmp list1 list3
    cmp out1/manifest.json out2/manifest.json
    grep -c '"spilled_bytes": 0,' report.json || echo "$unit: spilled"
    test "$(wc -c <out1/in.jsonl)" -lt "$(wc -c <in.jsonl)"
    for delay in 0.05 0.1 0.2; do
        # Not by the function: its shell would be killed, and the program go on.
        dedup-minhash spans -q --unit $unit --min-length 20 -o killed in.jsonl &
        sleep $delay
        { kill -KILL $! && wait $!; } 2>/dev/null || true # in one: bash tells of the end when it sees it
        run -o killed
        cmp out1/in.jsonl killed/in.jsonl
        (cd killed && find . -type f | sort | tr '\n' ' ')
        rm -r killed
    done
    rm -r out1 out2 out3 list*
done
