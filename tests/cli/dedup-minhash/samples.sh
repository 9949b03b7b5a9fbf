#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two pairs side by side on stderr, the result on stdout.
dedup-minhash --show-samples 2 "$DATA/documents/v1/sample.jsonl" 2>shown >/dev/null
sed "s|$DATA|DATA|g" shown | head -n 20
