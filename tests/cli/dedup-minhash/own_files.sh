#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# No slip of the command line costs a file: inputs, parents, strangers' files, one name for two.
sample=$DATA/documents/v1/sample.jsonl
try() { dedup-minhash -q "$@"; echo "exit $?"; }
cp "$sample" c.jsonl
ln c.jsonl link.jsonl
cp "$sample.gz" c.jsonl.gz
mkdir new
echo precious >notes
dedup-minhash -q -o parent.jsonl c.jsonl
sha256sum c.jsonl c.jsonl.gz notes parent.jsonl.manifest.json >before
try -o zz.jsonl --removal-list c.jsonl c.jsonl
try -o zz.jsonl --removal-list link.jsonl c.jsonl
try -o zz.jsonl --report ./c.jsonl.gz c.jsonl.gz
try -o zz.jsonl --manifest new/../c.jsonl c.jsonl
try -o zz.jsonl --report zz.jsonl c.jsonl
try -o zz.jsonl --report m2 --removal-list m2 c.jsonl
try -o zz.jsonl --report zz.jsonl.manifest.json c.jsonl
try -o zz --report zz/c.jsonl c.jsonl
try -o zz.jsonl --parent parent.jsonl.manifest.json --report parent.jsonl.manifest.json c.jsonl
try -o zz.jsonl --manifest notes c.jsonl
try -o zz.jsonl --removal-list notes c.jsonl
try -o zz.jsonl --report notes c.jsonl
try -o zz.jsonl --report parent.jsonl.manifest.json c.jsonl
try -o notes c.jsonl
try -o zz.jsonl --report - c.jsonl
try --removal-list - c.jsonl
try -o zz.jsonl --report /dev/null c.jsonl
try -o zz.jsonl --report none/report c.jsonl
try -o zz.jsonl.xz c.jsonl
try -o zz.jsonl --tmp-dir none c.jsonl
sha256sum --quiet -c before
ls
echo "--- what is ours, or forced"
try -o new/a.gz --removal-list new/list --manifest new/manifest --report new/report c.jsonl
try -o new/a.gz --removal-list new/list --manifest new/manifest --report new/report --force c.jsonl
try -o out --report out/report.json --removal-list out/list c.jsonl
try -o notes --force c.jsonl
cp notes killed.jsonl
: >.killed.jsonl.manifest.json.tmp-999999999-1
try -o killed.jsonl c.jsonl
gzip -dc new/a.gz | cmp - notes
find . -maxdepth 1 -name '*killed*' -printf '%f\n' | sort
