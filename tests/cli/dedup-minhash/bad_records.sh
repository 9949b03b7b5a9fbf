#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad records are named and counted; more than the limit is a failure and writes nothing.
{
    echo '{"text":"one good record"}'
    printf '\n   \r\n'
    echo '{"text":17}'
    echo '{"body":"no text"}'
    echo '["text"]'
    echo '{"text":"cut'
    echo '{"text":"a","text":"b"}'
    printf '{"text":"\377"}\n'
    printf '{"text":"a\0b"}\n'
    echo '{"text":"lone \ud800 surrogate"}'
    printf '{"text":"last, without a newline"}'
} >in.jsonl
echo "--- too many"
dedup-minhash -q -o out.jsonl in.jsonl
echo "exit $?, out: $(ls)"
echo "--- allowed"
dedup-minhash -q --max-bad-records 7 --report report.json in.jsonl
code=$?
echo
echo "exit $code"
grep -A 12 '"bad_records": {' report.json
grep -m 1 lone_surrogates report.json
echo "--- fail at the first"
dedup-minhash -q --on-bad-record fail in.jsonl
echo "exit $?"
