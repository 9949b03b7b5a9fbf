#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every preset gives the same bytes with more threads and in stages, which read its parameters from
# the plan; a work directory is not mixed with another preset, hash or number of hashes.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in
make_corpus 1 200 >in/1.jsonl
make_corpus 2 200 >in/2.jsonl

for preset in native slimpajama rpv2 text-dedup bigcode nemo; do
    dedup-minhash -q --preset $preset --threads 1 -o want --force --removal-list want.list in
    dedup-minhash -q --preset $preset --threads 3 -o out --force --removal-list out.list in
    diff -r want out && cmp want.list out.list && echo "$preset: threads agree"
    rm -r out
    dedup-minhash -q --preset $preset --work work-$preset --units 3 --splits 2 -o out --removal-list out.list in
    diff -r want out && cmp want.list out.list && echo "$preset: stages agree"
    rm -r out out.list out.list.manifest.json
done
dedup-minhash -q --preset text-dedup --hash text-dedup-32 --work work-text-dedup --units 3 --splits 2 -o out in
echo "exit $?"
dedup-minhash -q --preset text-dedup --num-hashes 250 --bands 24 --rows 10 --work work-text-dedup --units 3 \
    --splits 2 -o out in
echo "exit $?"
