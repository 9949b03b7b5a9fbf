#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A cut container is a failure wherever it is found, also inside a pipe, and leaves no output.
sample=$DATA/documents/v1/sample.jsonl
set -o pipefail
for end in gz zst; do
    head -c -20 "$sample.$end" >cut.jsonl.$end
    dedup-minhash -q -o out.jsonl cut.jsonl.$end
    echo "exit $?"
    dedup-minhash -q - <cut.jsonl.$end | wc -c
    echo "exit $?"
    { cat "$sample.$end"; echo garbage; } >tail.jsonl.$end
    dedup-minhash -q -o out.jsonl tail.jsonl.$end
    echo "exit $?"
done
ls
