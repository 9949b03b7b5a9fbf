#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Made tests/data/tokshard/v1 once, with tok-shard 0.1.0 in PATH. Old formats stay readable: never run
# this again over v1; a new version of the format gets a folder of its own.
set -eu
cd "$(dirname "$0")"
tok-shard -q -t ../token/hf_gpt2.json -o v1 --unit-size 15000 --shard-tokens 4000 --threads 1 corpus.jsonl
