#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peer of corpus_bench for Parquet: the text column by pyarrow on one thread, MB/s by CPU time.

  parquet_peer.py make DOCUMENTS.jsonl FOLDER    the same rows in the codecs that are compared
  parquet_peer.py read FILE.parquet...           batches of the text column; then also as Python strings
"""
import json
import pathlib
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq


def make(documents, folder):
    rows = [json.loads(line) for line in open(documents, encoding="utf-8")]
    table = pa.table({"text": [row["text"] for row in rows], "id": [f"{i:08}" for i in range(len(rows))]})
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for codec in ["none", "snappy", "gzip", "zstd"]:
        pq.write_table(table, folder / f"{codec}.parquet", compression=codec, row_group_size=10000)


def read(path, as_strings):
    size = 0
    start = time.process_time()
    for batch in pq.ParquetFile(path).iter_batches(1000, columns=["text"], use_threads=False):
        column = batch.column(0)
        if as_strings:
            size += sum(len(text) for text in column.to_pylist() if text is not None)
        else:
            size += len(column.buffers()[2]) if column.buffers()[2] else 0
    return time.process_time() - start


def main():
    if sys.argv[1] == "make":
        return make(sys.argv[2], sys.argv[3])
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    for path in sys.argv[2:]:
        text = pq.read_table(path, columns=["text"]).column(0)
        megabytes = sum(len(t.encode()) for t in text.to_pylist() if t is not None) / 1e6
        rates = [megabytes / min(read(path, s) for _ in range(3)) for s in (False, True)]
        print(f"{path} {megabytes:.1f} MB of text: batches {rates[0]:.0f} MB/s, as Python strings {rates[1]:.0f} MB/s")


if __name__ == "__main__":
    main()
