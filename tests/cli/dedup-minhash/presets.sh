#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every preset, by its own hash and the native one: equal short documents are duplicates, different
# ones are not, near duplicates go. Printed: the ids of the documents that stay.
set -eu
document() { printf '{"id": "%s", "text": "%s"}\n' "$1" "$2"; }
{
    for i in 1 2 3 4 5; do document "page$i" 'Page not found 404'; done
    document four-a 'alpha beta gamma delta'
    document four-b 'beta gamma delta alpha'
    document four-c 'alpha beta gamma epsilon'
    for i in 1 2 3; do document "chinese$i" '这是一个用来测试的中文句子没有任何空格'; done
    document chinese-other '完全不同的另外一个句子讲的是天气和旅行的故事'
    document empty1 ''
    document empty2 ''
    document marks1 '?!'
    document marks2 '!!'
    long='it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness'
    long+=' it was the epoch of belief it was the epoch of incredulity it was the season of light it was the season of'
    long+=' darkness it was the spring of hope it was the winter of despair we had everything before us'
    document long "$long"
    document long-near "$long again"
    document long-other 'call me ishmael some years ago never mind how long precisely having little or no money in my purse'
} >in.jsonl
for preset in fineweb native slimpajama rpv2 text-dedup bigcode nemo; do
    own=$(dedup-minhash explain --preset $preset --json | sed -n 's/.*"hash": "\(.*\)",/\1/p')
    for hash in $(printf '%s\n' "$own" native | sort -u); do
        dedup-minhash -q --preset $preset --hash "$hash" in.jsonl >kept.jsonl
        echo "$preset, hash $hash: $(sed 's/{"id": "\([^"]*\)".*/\1/' kept.jsonl | paste -sd " ")"
    done
done
for hash in datatrove datatrove-sha1; do
    dedup-minhash -q --hash $hash in.jsonl | cmp - <(dedup-minhash -q in.jsonl) && echo "$hash: as native"
done
for hash in text-dedup-32 text-dedup-16; do
    dedup-minhash -q --preset text-dedup --hash $hash in.jsonl | cmp - <(dedup-minhash -q --preset text-dedup in.jsonl) &&
        echo "$hash: as text-dedup"
done
