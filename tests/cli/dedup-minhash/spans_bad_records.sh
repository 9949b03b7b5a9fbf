#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad records and odd texts: named and counted, never written; the rest is as good as ever.
line='This line is long enough to be removed when it comes again.'
{
    printf '{"text":"%s\\nfirst"}\n' "$line"
    printf '\n   \r\n'
    echo '{"text":17}'
    echo '{"body":"no text"}'
    echo '["text"]'
    echo '{"text":"cut'
    echo '{"text":"a","text":"b"}'
    printf '{"text":"\377"}\n'
    printf '{"text":"a\0b"}\n'
    echo '{"text":"bad escape \x"}'
    printf '{"text":"lone \\ud800%s\\udc00 surrogates\\n%s\\nend"}\n' "$line" "$line"
    printf '{"text":"\\u0000\\n\\u0000%s\\n\\u0000%s"}\n' "$line" "$line"
    echo '{"text":""}'
    printf '{"text":"%s"}' "$line"
} >in.jsonl
echo "--- too many"
dedup-minhash spans -q -o out.jsonl in.jsonl
echo "exit $?, out: $(ls)"
echo "--- allowed"
dedup-minhash spans -q --max-bad-records 8 --removal-list list -o - in.jsonl 2>err
echo "exit $?, $(wc -l <err) lines on stderr"
sed 's/"file":"[0-9a-f]*"/FILE/' list
echo "--- fail at the first"
dedup-minhash spans -q --on-bad-record fail in.jsonl
echo "exit $?"
echo "--- nothing at all"
: >empty.jsonl
for unit in line paragraph substring; do dedup-minhash spans -q --unit $unit empty.jsonl | wc -c; done
echo "--- the program before the pipe dies"
printf '{"text":"one"}\n{"text":"tw' >cut.jsonl
dedup-minhash spans -q - < <(cat cut.jsonl)
echo "exit $?"
echo "--- a damaged container"
gzip -c in.jsonl | head -c 200 >cut.jsonl.gz
dedup-minhash spans -q --unit substring -o out.jsonl cut.jsonl.gz
echo "exit $?, out: $(ls)"
