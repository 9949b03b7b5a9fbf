#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
dedup-minhash explain
dedup-minhash explain --preset slimpajama
dedup-minhash explain --threshold 0.9 --hash datatrove
dedup-minhash explain --bands 20 --rows 13 --ngram 3
dedup-minhash explain --preset nemo --json
for preset in fineweb native slimpajama rpv2 text-dedup bigcode nemo; do
    dedup-minhash explain --preset $preset | head -n 1
    dedup-minhash explain --preset $preset --hash native --threshold 0.8 | head -n 1
done
# The banding of RedPajama-V2 for its four thresholds, and text-dedup's for hash_bits 16.
for threshold in 0.7 0.8 0.9 1; do
    dedup-minhash explain --preset rpv2 --threshold $threshold | head -n 1
done
dedup-minhash explain --preset text-dedup --hash text-dedup-16 --num-hashes 128 | head -n 1
