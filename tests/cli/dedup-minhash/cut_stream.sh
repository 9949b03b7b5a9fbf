#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The program before the pipe dies: half a line at the end is a failure, half a line in a file is a
# bad record.
cat >cut.jsonl <<'END'
{"text":"one"}
{"text":"two"}
END
printf '{"text":"thr' >>cut.jsonl
dedup-minhash -q - < <(cat cut.jsonl)
echo "exit $?"
dedup-minhash -q --max-bad-records 1 cut.jsonl
echo "exit $?"
printf '{"text":"whole"}' | dedup-minhash -q -
echo " exit $?"
echo "--- an output that was cut is made again"
dedup-minhash -q -o out.jsonl "$DATA/documents/v1/sample.jsonl"
cp out.jsonl whole
truncate -s 100 out.jsonl
dedup-minhash -q -o out.jsonl "$DATA/documents/v1/sample.jsonl"
cmp out.jsonl whole
echo '{' >out.jsonl.manifest.json
dedup-minhash -q -o out.jsonl "$DATA/documents/v1/sample.jsonl"
echo "exit $?"
dedup-minhash -q --force -o out.jsonl "$DATA/documents/v1/sample.jsonl"
echo "exit $?"
