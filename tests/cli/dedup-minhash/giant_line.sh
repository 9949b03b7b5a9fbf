#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A line of 100 MB: a bad record by default, a document with --max-line; the lines around it survive.
set -eu
{
    echo '{"text":"before"}'
    printf '{"text":"'
    head -c 100000000 /dev/zero | tr '\0' 'a'
    echo '"}'
    echo '{"text":"after"}'
} >in.jsonl
dedup-minhash -q --max-bad-records 1 in.jsonl
dedup-minhash -q --max-line 128M in.jsonl | cmp - in.jsonl
