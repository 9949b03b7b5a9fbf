#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Places where a run must not write are refused before any work, and nothing is left.
mkdir in
for k in a b; do cp "$DATA/documents/v1/sample.jsonl" in/$k.jsonl; done
try() {
    dedup-minhash "$@"
    echo "$*: exit $?"
}
try -q -o in/clean in
try -q --removal-list in/list.jsonl in
try plan in/work in
try run --work in/work -o out in
(cd in && try run -o out .)
try spans -q -o in/clean in
try -q -o out.jsonl in
try -q -o out --annotate text in
try -q -o /proc/none in
find . -mindepth 1 | sort
