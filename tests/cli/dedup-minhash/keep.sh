#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --keep and --priority: a rule gives what input order gives on inputs that are sorted by it, for any
# units and tasks.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in
make_corpus 21 1500 | awk NF >in/a.jsonl
make_corpus 21 900 | awk NF >in/b.jsonl
make_corpus 22 600 | awk NF >>in/b.jsonl
# by_rule KEY-COMMAND: all lines, the best first, as the rule orders them.
sorted_by_score() {
    cat in/a.jsonl in/b.jsonl | sed 's/.*"score":\([0-9]*\).*/\1\t&/' | sort -s -k 1,1nr | cut -f 2
}
sorted_by_length() {
    cat in/a.jsonl in/b.jsonl | awk -F '"text":"' '{ print length($2) "\t" $0 }' | sort -s -k 1,1nr | cut -f 2
}
for rule in score length; do
    sorted_by_$rule >sorted.jsonl
    dedup-minhash -q -o - sorted.jsonl | sort >want
    dedup-minhash -q --keep $rule -o - in | sort | cmp - want && echo "$rule: as sorted"
    dedup-minhash -q --keep $rule -o out-$rule --removal-list list-$rule in
    for units in 1 2; do
        work=work-$rule-$units
        dedup-minhash plan -q --keep $rule --units $units --splits 3 $work in
        for stage in sign exact group shingles cluster; do
            for task in 2 1 0; do dedup-minhash $stage -q --task $task/3 $work; done
        done
        dedup-minhash apply -q --threads 1 $work -o out-$units-$rule --removal-list list-$units-$rule
        diff -r out-$rule out-$units-$rule && cmp list-$rule list-$units-$rule && echo "$rule: stages"
    done
    dedup-minhash -q --keep $rule --transitive -o - in | sort >got
    dedup-minhash -q --transitive -o - sorted.jsonl | sort | cmp - got && echo "$rule: transitive"
done
echo "priorities"
cat in/b.jsonl in/a.jsonl >sorted.jsonl
dedup-minhash -q -o - sorted.jsonl | sort >want
dedup-minhash -q --priority '*/b.jsonl=5' -o - in | sort | cmp - want && echo "as sorted"
dedup-minhash -q --priority '*/a.jsonl=-1' --keep first -o - in | sort | cmp - want && echo "as sorted"
dedup-minhash -q -o out-in-order in
dedup-minhash -q --priority '*=1' -o out-same in
diff out-in-order/a.jsonl out-same/a.jsonl && diff out-in-order/b.jsonl out-same/b.jsonl && echo "equal"
echo "from a pipe, with documents that have no score"
sed 's/"score":[0-4][0-9],//' in/a.jsonl | dedup-minhash --keep score --report report.json - 2>&1 >out.jsonl | grep score
grep -c without_score report.json
dedup-minhash --keep score -o out-score --removal-list list-score in
dedup-minhash --keep length -o out-score in
dedup-minhash --keep best in/a.jsonl
dedup-minhash --keep priority in/a.jsonl
dedup-minhash --priority a in/a.jsonl
dedup-minhash --keep score:quality,length --dry-run in/a.jsonl | grep best
find "$TMPDIR" -name "longhaul-dedup-*" | wc -l
