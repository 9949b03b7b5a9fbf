#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Lines that occurred before go, the first copy stays; every other byte stays as it is written.
cat >pages.jsonl <<'END'
{"id":1,"text":"Home | News | About us | Contact | Sitemap | Imprint\nThe mayor opened the new bridge on Sunday.\n}\nAll rights reserved. Page 1 of 12, printed by the town office.","url":"http:\/\/example.org\/1"}
{"id":2, "text" : "Home | News | About us | Contact | Sitemap | Imprint\r\nThe caf\u00e9 at the harbour \ud83d\ude00 closes in winter, says its owner.\r\n}\r\nAll rights reserved. Page 2 of 12, printed by the town office.\r\n"}
{"text":"Home | News | About us | Contact | Sitemap | Imprint\n\nall rights reserved, page 3 of 12 -- printed by the town office!"}
{"text":"The mayor opened the new bridge on Sunday.\tNo: on Monday.\nThe mayor opened the new bridge on Sunday.\n}"}
END
echo "--- normalised"
dedup-minhash spans -q --removal-list list pages.jsonl -o -
cat list
echo "--- exact"
dedup-minhash spans -q --exact pages.jsonl
echo "--- two copies, nothing dropped"
dedup-minhash spans -q --max-copies 2 --keep-empty pages.jsonl | tail -n 2
echo "--- short ones too"
dedup-minhash spans -q --min-length 1 --min-document 0 pages.jsonl | tail -n 2
echo "--- report"
dedup-minhash spans -q --report report.json -o out.jsonl pages.jsonl
sed -n '/"parameters"/,/"sources"/p; /"most_removed"/,/\]/p' report.json
