#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The stages give the bytes of `run`, whatever the numbers of units, parts and tasks, which may
# differ from stage to stage; what is done is not done again.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
make_inputs

# tasks N SUB-COMMAND...: the sub-command as N tasks, the last one first.
tasks() {
    local n=$1 k
    shift
    for ((k = n - 1; k >= 0; --k)); do dedup-minhash "$@" -q --task "$k/$n" || echo "exit $?"; done
}
check() { diff -r "$1" "$2" && cmp "$1.list" "$2.list" && echo "$2 equals $1"; }

dedup-minhash -q -o want --removal-list want.list in
wc -l <want.list
for units in 1 3 6; do
    for splits in 1 5; do
        work=work-$units-$splits
        dedup-minhash plan -q --units $units --splits $splits $work in
        tasks $units sign $work
        dedup-minhash exact -q $work
        tasks 4 group $work
        tasks $((7 - units)) shingles $work
        dedup-minhash cluster -q --threads 1 $work
        tasks 2 apply $work -o out-$units-$splits --removal-list out-$units-$splits.list
        check want out-$units-$splits
    done
done
echo "--transitive"
dedup-minhash -q --transitive -o want-t --removal-list want-t.list in
dedup-minhash -q --transitive --work work-t --units 3 --splits 2 -o out-t \
    --removal-list out-t.list in
check want-t out-t
echo "one file, standard output, a compressed list"
dedup-minhash -q -o want.jsonl --removal-list want.list.zst in/1.jsonl
dedup-minhash -q --work work-f -o out.jsonl --removal-list out.list.zst in/1.jsonl
cmp want.jsonl out.jsonl && cmp want.list.zst out.list.zst
dedup-minhash -q -o - in | cksum
dedup-minhash apply -q -o - work-3-5 | cksum
echo "again"
dedup-minhash run --work work-3-5 --units 3 --splits 5 -o out-3-5 \
    --removal-list out-3-5.list in
echo "plans"
dedup-minhash plan --units 3 --splits 5 work-3-5 in
dedup-minhash plan --threshold 0.9 --units 3 --splits 5 work-3-5 in
dedup-minhash plan --units 3 --splits 6 work-3-5 in
dedup-minhash plan --units 3 --splits 6 --force work-3-5 in
dedup-minhash plan work-p -
dedup-minhash plan -q work-p in/1.jsonl in/2.jsonl
dedup-minhash plan -q work-p in/2.jsonl in/1.jsonl
dedup-minhash plan -q --force work-p in/2.jsonl in/1.jsonl && echo "replaced"
dedup-minhash sign -q --task 2/2 work-p
dedup-minhash sign -q --threads 2 --memory 1M work-p
echo "--finish"
dedup-minhash apply -q --task 0/3 -o out-fin work-6-1
ls out-fin
dedup-minhash apply -q --finish -o out-fin work-6-1 || echo "exit $?"
dedup-minhash apply -q --task 1/3 -o out-fin work-6-1
dedup-minhash apply -q --task 2/3 -o out-fin work-6-1
rm out-fin/manifest.json
dedup-minhash apply -q --finish -o out-fin work-6-1 && diff -r want out-fin && echo "complete"
