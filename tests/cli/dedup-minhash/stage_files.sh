#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Stage files that are missing, cut, damaged or not of this plan, and inputs that changed, are named.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in
make_corpus 5 300 >in/a.jsonl
make_corpus 6 300 >in/b.jsonl
make() { rm -rf w && dedup-minhash run -q --work w --units 2 -o out --force in; }
dedup-minhash plan -q --units 2 w in
for stage in exact group shingles cluster; do dedup-minhash $stage w || echo "exit $?"; done
dedup-minhash apply -o out w || echo "exit $?"
dedup-minhash sign -q --task 1/2 w
dedup-minhash exact -q w || echo "exit $?"
dedup-minhash sign missing || echo "exit $?"

# flip FILE BYTE: inverts a byte; a negative one counts from the end.
flip() {
    local at=$2 size value
    size=$(stat -c %s "$1")
    [ "$at" -ge 0 ] || at=$((size + at))
    value=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x $((255 - value)))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}
next_stage() {
    case $1 in sign) echo exact ;; exact) echo group ;; group) echo shingles ;; shingles) echo cluster ;; esac
}
for stage in sign exact group shingles cluster apply; do
    echo "== $stage"
    file=w/$stage/00000.lhd
    make
    flip $file 150
    case $stage in
        apply) dedup-minhash apply -o out --force w ;;
        cluster) dedup-minhash apply -o out2 w ;;
        *) rm -r w/"$(next_stage $stage)"; dedup-minhash "$(next_stage $stage)" w ;;
    esac
    echo "section: exit $?"
    for at in 3 10 20 40 60 -5 -20 -60; do
        make
        flip $file $at
        case $stage in
            apply) dedup-minhash apply -o out --force w ;;
            *) dedup-minhash $stage w ;;
        esac 2>&1 | sed 's/ ([0-9a-f]*, this one is [0-9a-f]*)//'
    done
    make
    truncate -s -1 $file
    if [ $stage = apply ]; then dedup-minhash apply -o out --force w; else dedup-minhash $stage w; fi
    echo "cut: exit $?"
done
echo "== foreign"
make
dedup-minhash plan -q --units 2 --splits 2 w2 in
dedup-minhash sign -q w2
cp w2/sign/00000.lhd w/sign/00000.lhd
dedup-minhash sign w 2>&1 | sed 's/ ([0-9a-f]*, this one is [0-9a-f]*)//'
cp w/sign/00001.lhd w/sign/00000.lhd
dedup-minhash sign w
sed -i 's/"splits": 1/"splits": 2/' w/plan.json
dedup-minhash sign w || echo "exit $?"
echo "== changed inputs"
make
rm -r w/cluster w/shingles
cp in/a.jsonl a.jsonl
sed 's/a/b/' a.jsonl >in/a.jsonl
dedup-minhash shingles -q w || echo "exit $?"
rm -r w/sign
dedup-minhash sign -q w || echo "exit $?"
echo >>in/a.jsonl
dedup-minhash sign -q w || echo "exit $?"
mv in/a.jsonl in/c.jsonl
dedup-minhash sign -q w || echo "exit $?"
