#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every wrong word is named, with exit code 2.
sample=$DATA/documents/v1/sample.jsonl
try() { dedup-minhash "$@"; echo "exit $?"; }
try
try --treshold 0.8 "$sample"
try --threshold 1.5 "$sample"
try --bands 10 "$sample"
try --preset pajama "$sample"
try --hash sha1 "$sample"
try --preset nemo --hash datatrove "$sample"
try --ngram 0 "$sample"
try --num-hashes 0 "$sample"
try --num-hashes 100 --bands 20 --rows 6 "$sample"
try --input-format csv "$sample"
try --on-bad-record drop "$sample"
try --max-bad-records many "$sample"
try --units 3 "$sample"
try --threads 2 --memory 1M "$sample"
try --threads 2 --memory 1100MB "$sample"
try --max-line 0 "$sample"
cp "$sample" a.jsonl
cp "$sample" b.jsonl
try a.jsonl b.jsonl
try a.jsonl a.jsonl
mkdir empty
try -o out empty
try missing.jsonl
echo end
