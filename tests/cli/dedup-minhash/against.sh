#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --against: what an earlier run kept stays, is not written again and removes its duplicates.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir a b c
make_corpus 31 1200 | awk NF >a/1.jsonl
make_corpus 32 600 | awk NF >a/2.jsonl
make_corpus 31 700 | awk NF | sed 's/"id"/"other"/' >b/1.jsonl
make_corpus 33 800 | awk NF >b/2.jsonl
make_corpus 33 500 | awk NF >c/1.jsonl
make_corpus 34 400 | awk NF >>c/1.jsonl
dedup-minhash -q --work work-a --units 2 -o out-a a
# The same as a run over what was kept and the new documents together.
check() {
    local want=$1 got=$2 file
    for file in "$got"/*.jsonl; do cmp "$want/${file#*/}" "$file" || return; done
    echo "$got: as together"
}
for options in "" "--transitive" "--keep first --threads 1"; do
    rm -rf together got work-b
    # shellcheck disable=SC2086
    dedup-minhash -q $options -o together out-a b
    # shellcheck disable=SC2086
    dedup-minhash -q $options --against work-a -o got b
    check together/b got
    # shellcheck disable=SC2086
    dedup-minhash -q $options --against work-a --work work-b --units 2 --splits 3 -o got-w \
        --removal-list list b
    diff -r got got-w && echo "stages"
    rm -r got-w
done
echo "the list names the files of the index"
hash_of() { sed -n "/\"path\": \"$1\"/,/xxh3/s/.*\"xxh3_128\": \"\(.*\)\".*/\1/p" "$2"; }
dedup-minhash -q --against work-a -o got2 --report report.json --removal-list list b
grep -c "\"match_file\":\"$(hash_of a.1.jsonl out-a/manifest.json)\"" list
grep -A 1 '"kept": {' report.json | grep -c '"path": "a/'
grep '"against"' -A 1 got2/manifest.json | grep -c '"[0-9a-f]\{32\}"'
echo "a rule within the new documents only"
dedup-minhash -q --keep length --against work-a -o got-rule b
dedup-minhash -q --keep length --priority 'out-a/*=1' -o together-rule out-a b
check together-rule/b got-rule
echo "two indexes, one of which was made against the other"
dedup-minhash -q --against work-a --work work-b2 --units 2 -o out-b b
dedup-minhash -q -o together2 out-a out-b c
dedup-minhash -q --against work-a --against work-b2 -o got3 c
check together2/c got3
echo "only files with candidates are read again"
make_corpus 99 50 >lone.jsonl
mv a/2.jsonl hidden
dedup-minhash -q --against work-a -o got4.jsonl lone.jsonl || echo "exit $?"
mv hidden a/2.jsonl
tr "[:lower:]" "[:upper:]" <a/2.jsonl >upper
cp a/2.jsonl hidden
cat upper >a/2.jsonl
dedup-minhash -q --against work-a -o got4.jsonl a/1.jsonl || echo "exit $?"
dedup-minhash -q --against work-a -o got5.jsonl --force hidden || echo "exit $?"
echo "refused"
cat hidden >a/2.jsonl
dedup-minhash --against work-a --bands 10 --rows 9 -o x b || echo "exit $?"
dedup-minhash --against work-a --hash datatrove -o x b || echo "exit $?"
dedup-minhash --against missing -o x b || echo "exit $?"
dedup-minhash plan -q work-new a
dedup-minhash --against work-new -o x b || echo "exit $?"
dedup-minhash plan -q --against work-a work-late b
mv work-a/plan.json old
sed 's/x/x/' old >work-a/plan.json
dedup-minhash sign -q work-late && echo "the same plan"
rm -r work-a
dedup-minhash run -q --work work-a --units 3 -o out-a a --force
dedup-minhash exact work-late 2>&1 | sed "s|$PWD/||"
echo "exit ${PIPESTATUS[0]}"
