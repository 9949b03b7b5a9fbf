# SPDX-License-Identifier: BSD-3-Clause
# No output takes the place of an input; mistakes are found before the work.
run() { tok-shard "$@"; echo "exit $?"; }
t=$DATA/token/hf_gpt2.json
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
ln -s c.jsonl link
run -t "$t" -o s --report c.jsonl c.jsonl
run -t "$t" -o s --report link c.jsonl
run -t "$t" -o s --report - c.jsonl
run train --force -o link c.jsonl
run train -o - c.jsonl
run train -o t.json --special '' c.jsonl
run train -o t.json --special a --special a c.jsonl
run -t "$t" -o s --parent nowhere.json c.jsonl
run -t "$t" -o s --unit-size 1 --dry-run /dev/null c.jsonl c.jsonl c.jsonl c.jsonl | tail -n 1
run stat s
run verify c
ls
cmp "$DATA/tokshard/corpus.jsonl" c.jsonl && echo "the input is as it was"
