#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The list names file and row of what goes and of what stays instead.
set -eu
sample=$DATA/documents/v1/sample.jsonl
dedup-minhash -q --removal-list list.jsonl "$sample"
head -n 3 list.jsonl
wc -l <list.jsonl
# Applying the list gives the same as removing.
sed 's/.*"row":\([0-9]*\),.*/\1/' list.jsonl | awk 'NR == FNR { gone[$1] = 1; next } !((FNR - 1) in gone)' - "$sample" >applied.jsonl
dedup-minhash -q "$sample" | cmp - applied.jsonl
grep -c '"kind": "removal-list"' list.jsonl.manifest.json
