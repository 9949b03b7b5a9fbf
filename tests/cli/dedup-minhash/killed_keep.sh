#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A run with a keep rule works in a folder of its own, which a killed one leaves and the next takes
# away; but not that of a run that is still at work.
set -eu
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
make_corpus 5 300 >in.jsonl
mkdir tmp
keep() { dedup-minhash -q --keep score --tmp-dir tmp "$@"; }
folders() { find tmp -name 'longhaul-dedup-*' | wc -l; }
keep -o want.jsonl in.jsonl
echo "after a run: $(folders)"

# It waits for its input, which never ends.
mkfifo pipe
dedup-minhash -q --keep score --tmp-dir tmp -o out.jsonl - <pipe &
exec 3>pipe
until [ -n "$(find tmp -name lock)" ]; do sleep 0.01; done
keep -o other.jsonl in.jsonl
cmp want.jsonl other.jsonl
echo "beside one at work: $(folders)"
{ kill -KILL $! && wait $!; } 2>/dev/null || true # in one: bash tells of the end when it sees it
exec 3>&-
echo "after its death: $(folders)"
keep -o out.jsonl - <in.jsonl
cmp want.jsonl out.jsonl
echo "after the next run: $(folders)"
