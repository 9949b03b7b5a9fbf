#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Outputs that can not be written.
sample=$DATA/documents/v1/sample.jsonl
dedup-minhash -q "$sample" >/dev/full
echo "full stdout: exit $?"
: >file
dedup-minhash -q -o file/out.jsonl "$sample"
echo "folder is a file: exit $?"
dedup-minhash -q -o /proc/out.jsonl "$sample"
echo "read-only: exit $?"
dedup-minhash -q -o /dev/null "$sample"
echo "device: exit $?"
cp "$sample" same.jsonl
dedup-minhash -q -o . same.jsonl
echo "output is the input: exit $?"
dedup-minhash -q --tmp-dir /no/such - <"$sample"
echo "no folder for the spool: exit $?"
seq 1 20000 | tr 0-9 a-j | sed 's/.*/{"text":"&"}/' >many.jsonl
set -o pipefail
dedup-minhash -q many.jsonl | head -n 1 | wc -l
echo "closed pipe: exit ${PIPESTATUS[*]}"
ls
