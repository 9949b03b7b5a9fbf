#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Substrings that occurred before go, whatever stands around them.
header='Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"), to deal in the Software without restriction,\n'
cat >code.jsonl <<END
{"text":"/* ${header} */\nint one(void);\n","lang":"c"}
{"text":"# ${header}def two():\n    pass\n","lang":"py"}
{"text":"${header}"}
{"text":"-- ${header%????????}\u006fn,\n three = 3"}
{"text":"nothing in common with the others"}
END
echo "--- 100 bytes"
dedup-minhash spans -q --unit substring --min-length 100 --removal-list list -o - code.jsonl
sed 's/"file":"[0-9a-f]*"/FILE/' list
echo "--- more than there is"
dedup-minhash spans -q --unit substring --min-length 300 code.jsonl | cmp - code.jsonl
echo "--- inside one document, one character, periods"
{
    echo '{"text":"0123456789abcdefghij|0123456789abcdefghij|x0123456789abcdefghij"}'
    echo '{"text":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}'
    echo '{"text":"=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-="}'
    echo '{"text":"\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587"}'
    echo '{"text":"\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000"}'
} >runs.jsonl
dedup-minhash spans -q --unit substring --min-length 10 runs.jsonl
echo "--- 20 MB of one character"
{ printf '{"text":"'; head -c 20000000 /dev/zero | tr '\0' x; echo '"}'; } >giant.jsonl
dedup-minhash spans -q --unit substring giant.jsonl | wc -c
echo "--- report"
dedup-minhash spans -q --unit substring --min-length 100 --report report.json -o out.jsonl code.jsonl
sed -n '/"total"/,/}/p; /"most_removed"/,/}/p; /"search"/,/}/p' report.json
