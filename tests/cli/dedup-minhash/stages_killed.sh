#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each stage killed at some moments and run again: the same bytes, and nothing left behind.
set -eu
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in
for k in 1 2; do make_corpus $k 6000 >in/$k.jsonl; done
dedup-minhash -q -o want in
want=$(dedup-minhash run -q --work want-work --units 2 -o out in && cd want-work && find . -type f | sort | xargs cksum | grep -v -e plan.json -e apply)
rm -r out
for stage in plan sign exact group shingles cluster apply; do
    for delay in 0.002 0.01 0.03; do
        rm -rf work out
        dedup-minhash plan -q --units 2 work in
        for before in sign exact group shingles cluster; do
            [ "$before" != "$stage" ] || break
            [ "$stage" != plan ] || break
            cp -r want-work/$before work/
        done
        case $stage in
            plan) rm -r work; dedup-minhash plan -q --units 2 work in & ;;
            apply) dedup-minhash apply -q work -o out & ;;
            *) dedup-minhash "$stage" -q work & ;;
        esac
        sleep "$delay"
        { kill -KILL $! && wait $!; } 2>/dev/null || true # in one: bash tells of the end when it sees it
        dedup-minhash run -q --work work --units 2 -o out in
        diff -r want out
        got=$(cd work && find . -type f | sort | xargs cksum | grep -v -e plan.json -e apply)
        [ "$got" = "$want" ] || { echo "$stage $delay: other stage files"; ls -aR work; }
    done
    echo "$stage"
done
