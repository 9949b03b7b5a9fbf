# SPDX-License-Identifier: BSD-3-Clause
# No slip of the command line costs a file, not even with --force; and a slip is told before the work.
run() { tok-shard "$@" -q; echo "exit $?"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
cp "$DATA/token/hf_gpt2.json" t.json
tok-shard -q -t t.json -o made c.jsonl
mkdir -p model/tokenizer d
cp t.json model/tokenizer/tokenizer.json
echo weights >model/model.safetensors
echo '{"schema":1}' >model/manifest.json
echo notes >notes
dedup-minhash -q -o clean/ c.jsonl
find . -type f ! -name before -exec sha256sum {} + >before
echo "--- --report"
run -t t.json -o s --report t.json c.jsonl
run -t t.json -o s --report made/manifest.json c.jsonl
run -t t.json -o s --report notes c.jsonl
echo "--- --force"
run -t t.json -o model --force c.jsonl
run -t model/tokenizer -o model --force c.jsonl
run -t t.json -o clean --force c.jsonl
run -t t.json -o clean c.jsonl
run -t made/tokenizer -o made --force c.jsonl
run -t t.json -o made --input-format jsonl --force made/manifest.json
run convert made -o model --format mds --force
echo "--- train"
run train --force -o d c.jsonl
run train -o nowhere/t.json c.jsonl
sha256sum --quiet -c before
ls -A
echo "--- what is ours"
run -t t.json -o made --report made/report.json c.jsonl
run -t t.json -o s --report r.json c.jsonl
run -t t.json -o s --report r.json --force c.jsonl
: >s/plan.json
run -t t.json -o s c.jsonl
run -t t.json -o s --force c.jsonl
echo mine >s/notes
run -t t.json -o s --force c.jsonl
diff -r made s
echo "--- a name that JSON can not hold"
cp c.jsonl $'na\xffme.jsonl'
run -t t.json -o odd $'na\xffme.jsonl' 2>&1 | tr -d '\377'
dedup-minhash -q -o odd $'na\xffme.jsonl' 2>&1 | tr -d '\377'
ls -d odd
