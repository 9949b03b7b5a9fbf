#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Precision and recall of dedup-minhash against all pairs, by code that shares nothing with it.

    python3 dedup_truth.py path/to/dedup-minhash SHARE [--OPTION=...] CORPUS.jsonl.zst...

The corpus is that of tests/bench/make_corpus.py. Takes one of SHARE documents, runs dedup-minhash on them, and computes the Jaccard index of every pair
of documents from datatrove's simplify_text (every character of a script without spaces a word of its own), as a
product of sparse matrices. Needs: pip install datatrove scipy spacy tokenizers orjson regex
  precision  of the removals: true Jaccard with the named match >= threshold, the match stays and comes first, and the
             index printed is the true one
  recall     of the documents that have an earlier one that stays at Jaccard >= threshold: how many went, beside what
             the S-curve says of each one's best match (a lower bound: other matches add to it)
"""
import collections
import io
import json
import math
import subprocess
import sys
import tempfile
import zlib

import regex
import scipy.sparse
import scipy.sparse.csgraph
from datatrove.utils.text import simplify_text

BANDS, ROWS, NGRAM, THRESHOLD = 14, 8, 5, 0.75
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
                         r"\u2E80-\u2FDF\u3005-\u3007\u3038-\u303F\u30FB\u30FC\uFF70\uFF9E\uFF9F]")


def sample(paths, share):
    """One of `share` documents, by its file's name: so that two releases of a page are both in or both out."""
    lines = []
    for path in paths:
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as process:
            for line in io.TextIOWrapper(process.stdout, encoding="utf-8", newline="\n"):
                name = json.loads(line)["source"].rsplit("/", 1)[-1]
                if zlib.crc32(name.encode()) % share == 0:
                    lines.append(line)
    return lines


def words_of(text):
    return UNSPACED.sub(lambda m: f" {m[0]} ", simplify_text(text)).split()


def matrix_of(texts):
    numbers, rows, columns, words = {}, [], [], []
    for row, text in enumerate(texts):
        tokens = words_of(text)
        words.append(tuple(tokens))
        for shingle in {tuple(tokens[i:i + NGRAM]) for i in range(len(tokens) - NGRAM + 1)}:
            rows.append(row)
            columns.append(numbers.setdefault(shingle, len(numbers)))
    shape = (len(texts), len(numbers))
    return scipy.sparse.csr_matrix(([1] * len(rows), (rows, columns)), shape=shape, dtype="int32"), words


def removals_of(program, options, lines):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/in.jsonl", "w", encoding="utf-8", newline="\n") as out:
            out.writelines(lines)
        subprocess.run([program, *options, "--removal-list", folder + "/list.jsonl", folder + "/in.jsonl"], check=True,
                       stderr=subprocess.DEVNULL)
        with open(folder + "/list.jsonl", encoding="utf-8") as file:
            return {r["row"]: r for r in map(json.loads, file) if "match_row" in r}


def main():
    program, share = sys.argv[1], int(sys.argv[2])
    options = [word for word in sys.argv[3:] if word.startswith("--")]
    paths = [word for word in sys.argv[3:] if not word.startswith("--")]
    lines = sample(paths, share)
    texts = [json.loads(line)["text"] for line in lines]
    removed = removals_of(program, options, lines)
    shingles, words = matrix_of(texts)
    sizes = shingles.getnnz(axis=1)
    common = (shingles @ shingles.T).tocsr()

    def jaccard(a, b):
        if sizes[a] == 0 or sizes[b] == 0:
            return float(words[a] == words[b])
        shared = common[a, b]
        return shared / (sizes[a] + sizes[b] - shared)

    faults = collections.Counter()
    kinds = collections.Counter(r["reason"] for r in removed.values())
    for row, removal in removed.items():
        match, true = removal["match_row"], jaccard(row, removal["match_row"])
        faults["below the threshold"] += true < THRESHOLD
        faults["match does not stay, or comes later"] += match in removed or match > row
        faults["printed index is not the true one"] += abs(true - removal["jaccard"]) > 1e-3
    print(f"{len(texts)} documents, {sum(len(t.encode()) for t in texts) / 1e6:.1f} MB; removed {dict(kinds)}")
    print(f"precision: {len(removed) - faults['below the threshold']} of {len(removed)} removals are right; "
          f"other faults: { {k: v for k, v in faults.items() if v} or 'none'}")

    both = common.tocoo()
    alike = both.data / (sizes[both.row] + sizes[both.col] - both.data) >= 0.5
    graph = scipy.sparse.coo_matrix((alike, (both.row, both.col)), shape=both.shape)
    graph.eliminate_zeros()
    component = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    groups, pairs = collections.defaultdict(list), 0
    for row in range(len(texts)):
        begin, end = common.indptr[row], common.indptr[row + 1]
        best = 0.0
        for other, shared in zip(common.indices[begin:end], common.data[begin:end]):
            if other < row:
                index = shared / (sizes[row] + sizes[other] - shared)
                pairs += index >= THRESHOLD
                if other not in removed:
                    best = max(best, index)
        if best < THRESHOLD or removed.get(row, {}).get("reason") == "exact":
            continue
        package = json.loads(lines[row])["source"].split("/")[0]
        groups[component[row]].append((row in removed, 1 - (1 - best ** ROWS) ** BANDS, package))
    everyone = [d for group in groups.values() for d in group]
    found, expected = sum(d[0] for d in everyone), sum(d[1] for d in everyone)
    error = math.sqrt(sum(sum(d[0] - d[1] for d in group) ** 2 for group in groups.values()))
    ones = [group[0] for group in groups.values()]
    print(f"{pairs} pairs at or above {THRESHOLD}; {len(everyone)} documents (exact copies apart) have such an earlier one that "
          f"stays, in {len(groups)} components")
    print(f"recall: removed {found} ({found / len(everyone):.3f}), the S-curve says at least {expected:.1f} "
          f"({expected / len(everyone):.3f}), standard error {error:.1f}; the first of each component: removed "
          f"{sum(d[0] for d in ones)} of {len(ones)}, S-curve {sum(d[1] for d in ones):.1f}")

    packages = collections.defaultdict(list)
    for document in everyone:
        packages[document[2]].append(document)
    far = sorted(packages, key=lambda name: -abs(sum(d[0] - d[1] for d in packages[name])))[:3]
    for name in far:
        print(f"  farthest from it: {name}: removed {sum(d[0] for d in packages[name])} of {len(packages[name])}, "
              f"S-curve {sum(d[1] for d in packages[name]):.1f}")


main()
