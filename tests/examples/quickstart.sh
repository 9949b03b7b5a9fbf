#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# examples/quickstart.sh --small: the chain runs, the killed training resumes, and what it made is whole.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
compgen -G "/usr/share/perl/5.*/pod/perlfunc.pod" >/dev/null ||
    { echo "the package perl-doc is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$root/examples/quickstart.sh" --small --no-setup --work "$scratch/run" >"$scratch/log" 2>&1 ||
    { tail -n 40 "$scratch/log"; exit 1; }
fail() { echo "$*"; tail -n 40 "$scratch/log"; exit 1; }
grep -q '^killed process' "$scratch/log" || fail "the training ended before it could be killed"
cd "$scratch/run"
grep -q '"code": *0' run/exit.json || fail "exit.json does not say 0: $(<run/exit.json)"
grep -q '^train-run: resumed run/ckpt/step-' "$scratch/log" || fail "the second start did not resume"
for file in model.safetensors config.json tokenizer.json; do
    [ -s "exported/$file" ] || fail "exported/$file is missing"
done
# The run is whole: its text can be read back from any folder, also after a move.
mv "$scratch/run/run" "$scratch/moved"
(cd / && "${LONGHAUL_BIN:?}/train-run" generate "$scratch/moved" --prompt "=head1" --max-tokens 4) >"$scratch/text" ||
    fail "no text from the moved run"
mv "$scratch/moved" "$scratch/run/run"
# The same data and options again: every stage is complete and nothing is redone.
before=$(stat -c %Y.%i clean/corpus.jsonl shards/manifest.json exported/model.safetensors)
"$root/examples/quickstart.sh" --small --no-setup --work "$scratch/run" >"$scratch/log" 2>&1 ||
    fail "the second run failed"
after=$(stat -c %Y.%i clean/corpus.jsonl shards/manifest.json exported/model.safetensors)
[ "$before" = "$after" ] || fail "the second run made files again"
