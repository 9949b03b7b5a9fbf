#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""dedup-minhash beside its peers from PyPI, on one core and the same corpus.

    python3 dedup_peers.py CORPUS.jsonl path/to/dedup-minhash

Peers that are not installed are left out:
    pip install datasketch rensa datatrove spacy tokenizers orjson 'xxhash<3.6'   (datatrove 0.10.1 hashes str)
Prints seconds of CPU and MB of text a second, and how many documents each would remove:
  dedup-minhash  --threads 1, the whole run with verification and output
  datasketch     MinHash(112) of 5-word shingles of the normalised text + MinHashLSH(14 x 8), insert after query
  rensa          RMinHash(112), the same shingles as strings (releases before 0.5 sample none; later ones hash only
                 a part of the tokens of long documents)
  datatrove      MinhashDedupSignature's own code for shingles and signature (stage 1 only: no buckets, no filter)
A peer sees the first LIMIT documents (default 5000, environment variable LIMIT); its rate is of those.
"""
import json
import os
import re
import resource
import subprocess
import sys
import time

corpus, program = sys.argv[1], sys.argv[2]
limit = int(os.environ.get("LIMIT", "5000"))
with open(corpus, encoding="utf-8") as lines:
    texts = [json.loads(line)["text"] for line in lines]
total_mb = sum(len(t.encode()) for t in texts) / 1e6
some = texts[:limit]
some_mb = sum(len(t.encode()) for t in some) / 1e6


def show(name, seconds, mb, removed, of):
    print(f"{name:28s} {seconds:8.2f} s  {mb / seconds:9.2f} MB/s   removed {removed} of {of}", flush=True)
    return mb / seconds


def shingles(text):
    words = re.sub(r"[^\w]+", " ", text.lower()).split()
    return [" ".join(words[i:i + 5]) for i in range(len(words) - 4)]


def measure(name, function):
    start = time.process_time()
    removed = function()
    return show(name, time.process_time() - start, some_mb, removed, len(some))


def ours(*options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([program, "--threads", "1", "--no-progress", *options, "-o", "-", corpus],
                         stdout=subprocess.PIPE, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return show("dedup-minhash " + " ".join(options), seconds, total_mb, len(texts) - run.stdout.count(b"\n"), len(texts))


def datasketch():
    from datasketch import MinHash, MinHashLSH
    index, removed = MinHashLSH(num_perm=112, params=(14, 8)), 0
    for number, text in enumerate(some):
        sketch = MinHash(num_perm=112)
        sketch.update_batch([s.encode() for s in set(shingles(text))])
        if index.query(sketch):
            removed += 1
        else:
            index.insert(number, sketch)
    return removed


def rensa():
    from rensa import RMinHash, RMinHashLSH
    index, removed = RMinHashLSH(threshold=0.75, num_perm=112, num_bands=14), 0
    for number, text in enumerate(some):
        sketch = RMinHash(num_perm=112, seed=1)
        sketch.update(shingles(text))
        if index.query(sketch):
            removed += 1
        else:
            index.insert(number, sketch)
    return removed


def datatrove():
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
    step, seen, removed = MinhashDedupSignature(output_folder="/tmp", config=MinhashConfig()), set(), 0
    for text in some:
        values = step.get_shingles(text)
        if values.size == 0:
            continue
        keys = {(band, tuple(key)) for band, key in enumerate(step.get_signature(values))}
        if keys & seen:
            removed += 1
        else:
            seen |= keys
    return removed


print(f"{len(texts)} documents, {total_mb:.1f} MB; peers see {len(some)}, {some_mb:.1f} MB")
base = ours()
ours("--hash", "datatrove")
for name, peer in (("datasketch", datasketch), ("rensa", rensa), ("datatrove, stage 1", datatrove)):
    try:
        rate = measure(name, peer)
        print(f"    dedup-minhash is {base / rate:.1f} times as fast")
    except ImportError as error:
        print(f"{name:28s} left out: {error}")
