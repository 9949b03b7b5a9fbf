#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""dedup-minhash spans --unit substring beside a suffix array (libdivsufsort), and a proof that both find the same.

    pip install pydivsufsort numpy
    python3 span_peers.py CORPUS.jsonl path/to/dedup-minhash [MIN_LENGTH]

The suffix array of all texts, parted by a byte that no UTF-8 has, and its longest common prefixes give every repeated
window by the definition in dedup-minhash-spans.1; the bytes of all of them, cut to whole characters, must be those that
the program's removal list names. Prints CPU seconds, MB of text a second and peak memory of both.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

corpus, program = sys.argv[1], sys.argv[2]
length = int(sys.argv[3]) if len(sys.argv) > 3 else 200


def show(name, seconds, peak_bytes, total_mb):
    print(f"{name:46s} {seconds:8.2f} s of CPU {total_mb / seconds:8.2f} MB/s  {peak_bytes / 2**20:8.0f} MiB "
          f"({peak_bytes / total_mb / 1e6:.1f} bytes for a byte of text)", flush=True)
    return total_mb / seconds


def ours(folder, *options):
    listed = os.path.join(folder, "list")
    report = os.path.join(folder, "report")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "spans", "-q", "--unit", "substring", "--min-length", str(length), "--threads", "1",
                    "--removal-list", listed, "--report", report, "--force", *options, "-o", os.path.join(folder, "out.jsonl"),
                    corpus], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(report, encoding="utf-8") as file:
        facts = json.load(file)
    peak = max(stage["peak_rss_bytes"] for stage in facts["stages"])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rate = show("spans " + " ".join(options), seconds, peak, facts["total"]["text_bytes"] / 1e6)
    with open(listed, encoding="utf-8") as lines:
        return rate, {entry["row"]: entry["spans"] for entry in map(json.loads, lines)}


def suffix_array(data):
    from pydivsufsort import divsufsort, kasai
    array = divsufsort(data)
    return array, kasai(data, array)


def repeated_bytes(data, array, common):
    """A flag for each byte of `data` that lies in a repeated window."""
    # common[i]: of the suffixes i and i+1; a class is a run of suffixes that share `length` bytes.
    begins = np.flatnonzero(np.concatenate(([True], common[:len(array) - 1] < length)))
    first = np.minimum.reduceat(array, begins)
    sizes = np.diff(np.append(begins, len(array)))
    behind = array - np.repeat(first, sizes) >= length
    windows = np.zeros(len(data) + 1, dtype=np.int32)
    starts = array[behind]
    borders = np.flatnonzero(data == 255)  # a window that holds one is none
    next_border = np.append(borders, len(data))[np.searchsorted(borders, starts)]
    starts = starts[next_border - starts >= length]
    np.add.at(windows, starts, 1)
    np.add.at(windows, starts + length, -1)
    return np.cumsum(windows)[:-1] > 0


def spans_of(flags, begin, text):
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags[begin:begin + len(text)].astype(np.int8), [0]))))
    spans = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
        while start < end and text[start] & 0xC0 == 0x80:
            start += 1
        while end > start and end < len(text) and text[end] & 0xC0 == 0x80:
            end -= 1
        if start < end:
            spans.append([start, end])
    return spans


# First, while this process is small: its own memory would count as the first of its children's.
with tempfile.TemporaryDirectory() as folder:
    rate, found = ours(folder)
    small_rate, small = ours(folder, "--memory", "128MiB", "--max-line", "4MiB")
if small != found:
    sys.exit("--memory changes the result")
with open(corpus, encoding="utf-8") as lines:
    texts = [json.loads(line)["text"].encode() for line in lines]
total_mb = sum(map(len, texts)) / 1e6
print(f"{len(texts)} documents, {total_mb:.1f} MB; {sum(map(len, found.values()))} cuts, "
      f"{sum(e - b for spans in found.values() for b, e in spans) / 1e6:.2f} MB removed")
data = np.frombuffer(bytearray(b"\xff").join(texts), dtype=np.uint8)
start = time.process_time()
array, common = suffix_array(data)
seconds = time.process_time() - start
peer = show("suffix array and its LCPs alone", seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            total_mb)
flags = repeated_bytes(data, array.astype(np.int64), common)
print(f"    dedup-minhash is {rate / peer:.1f} times as fast ({small_rate / peer:.1f} with little memory)")
begin, different = 0, 0
for row, text in enumerate(texts):
    different += spans_of(flags, begin, text) != found.get(row, [])
    begin += len(text) + 1
print(f"documents with other cuts than the suffix array finds: {different} of {len(texts)}")
sys.exit(1 if different else 0)
