#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes small Parquet files with pyarrow and what our reader must make of them.

  make_parquet.py DIR          needs pyarrow; DIR gets <case>.parquet and <case>.jsonl

Every codec x page version x dictionary on and off, nulls, several row groups, pages with checksums,
delta encodings, columns of other kinds beside the text, nested text, large texts. <case>.jsonl holds
one row a line, as the reader must give it: the text first, then the other columns that a line can
show; a null text is left out.
"""
import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

WORDS = "the quick brown fox jumps over a lazy dog Zürich Ελλάδα 東京 \"quoted\" back\\slash".split()


def texts(count, with_nulls=False):
    made = []
    for i in range(count):
        text = " ".join(WORDS[(i * 7 + j * 3) % len(WORDS)] for j in range(i % 23))
        if i % 5 == 0:
            text += "\nline two\twith a tab\r\n\x00\x1f"
        if i % 11 == 3:
            text = ""
        made.append(None if with_nulls and i % 4 == 1 else text)
    return made


def side_columns(count):
    return {
        "id": pa.array([f"doc-{i:04}" for i in range(count)]),
        "number": pa.array([None if i % 9 == 2 else i * 1234567 - 50000 for i in range(count)], pa.int64()),
        "small": pa.array([i % 7 - 3 for i in range(count)], pa.int8()),
        "unsigned": pa.array([2**64 - 1 - i for i in range(count)], pa.uint64()),
        "unsigned32": pa.array([2**32 - 1 - i for i in range(count)], pa.uint32()),
        "score": pa.array([None if i % 6 == 0 else i / 7 for i in range(count)], pa.float64()),
        "half": pa.array([i * 0.5 for i in range(count)], pa.float32()),
        "flag": pa.array([None if i % 10 == 9 else i % 3 == 0 for i in range(count)], pa.bool_()),
        "same": pa.array(["constant"] * count),
    }


def hidden_columns(count):
    return {
        "tags": pa.array([[f"t{j}" for j in range(i % 4)] for i in range(count)], pa.list_(pa.string())),
        "meta": pa.array([{"url": f"http://x/{i}", "n": i} for i in range(count)]),
        "blob": pa.array([bytes([i % 256, 255]) for i in range(count)], pa.binary()),
        "when": pa.array([i for i in range(count)], pa.timestamp("ms")),
        "map": pa.array([[("a", i)] for i in range(count)], pa.map_(pa.string(), pa.int64())),
    }


SHOWN = ["id", "number", "small", "unsigned", "unsigned32", "score", "half", "flag", "same", "when"]


def write_expected(path, table, text_field):
    text = table[text_field] if text_field in table.column_names else None
    if text is None:
        column = table[text_field.split(".")[0]].combine_chunks()
        for name in text_field.split(".")[1:]:
            column = column.flatten()[column.type.get_field_index(name)]
        text = column
    text = text.to_pylist()
    others = {n: table[n] for n in table.column_names if n in SHOWN}
    if "when" in others:
        others["when"] = others["when"].cast(pa.int64())
    others = {n: c.to_pylist() for n, c in others.items()}
    with open(path, "w", encoding="utf-8") as out:
        for row in range(table.num_rows):
            line = {} if text[row] is None else {text_field: text[row]}
            line.update({n: c[row] for n, c in others.items()})
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def write(folder, name, table, text_field="text", **options):
    pq.write_table(table, folder / f"{name}.parquet", **options)
    write_expected(folder / f"{name}.jsonl", table, text_field)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    plain = pa.table({"text": texts(60), "id": [f"d{i}" for i in range(60)]})
    nulls = pa.table({"text": texts(60, True), "id": [f"d{i}" for i in range(60)]})
    for codec in ["none", "snappy", "gzip", "zstd"]:
        for version in ["1.0", "2.0"]:
            for dictionary in [False, True]:
                name = f"{codec}_v{version[0]}_{'dict' if dictionary else 'plain'}"
                write(folder, name, nulls if codec != "gzip" else plain, compression=codec,
                      data_page_version=version, use_dictionary=dictionary)
    wide = pa.table({"text": texts(100, True), **side_columns(100), **hidden_columns(100)})
    write(folder, "columns_v1", wide, row_group_size=37, write_page_checksum=True)
    write(folder, "columns_v2", wide, row_group_size=41, data_page_version="2.0", compression="zstd",
          write_page_checksum=True, use_dictionary=False)
    write(folder, "many_pages", pa.table({"text": texts(400)}), data_page_size=512,
          write_batch_size=16, row_group_size=150, dictionary_pagesize_limit=1024, compression="zstd")
    for encoding in ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]:
        write(folder, encoding.lower(), nulls, use_dictionary=False, column_encoding={"text": encoding},
              data_page_version="2.0")
    numbers = pa.table({"text": texts(100), "number": pa.array([i * i * 97 - 5 for i in range(100)], pa.int64()),
                        "small": pa.array([i % 11 for i in range(100)], pa.int32()),
                        "score": [i / 3 for i in range(100)], "half": pa.array([i * .25 for i in range(100)], pa.float32())})
    write(folder, "number_encodings", numbers, use_dictionary=False,
          column_encoding={"number": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED",
                           "score": "BYTE_STREAM_SPLIT", "half": "BYTE_STREAM_SPLIT"})
    nested = pa.array([None if i % 7 == 0 else {"body": {"text": t}, "k": i} if i % 5 else {"body": None, "k": i}
                       for i, t in enumerate(texts(50, True))],
                      pa.struct([("body", pa.struct([("text", pa.string())])), ("k", pa.int64())]))
    write(folder, "nested", pa.table({"doc": nested, "id": [f"d{i}" for i in range(50)]}), "doc.body.text")
    required = pa.schema([pa.field("text", pa.string(), nullable=False)])
    write(folder, "required", pa.table({"text": texts(40)}, schema=required), compression="gzip")
    write(folder, "large_string", pa.table({"text": pa.array(texts(40), pa.large_string())}))
    write(folder, "categorical", pa.table({"text": pa.array(texts(40)).dictionary_encode()}))
    write(folder, "all_null", pa.table({"text": pa.array([None] * 30, pa.string()), "small": list(range(30))}))
    write(folder, "empty", pa.table({"text": pa.array([], pa.string())}))
    long = "x\n" * 40000 + "".join(chr(0x4E00 + i % 500) for i in range(5000))
    write(folder, "long_text", pa.table({"text": [long, "short"]}), compression="zstd")
    # Refused by name.
    for codec in ["brotli", "lz4"]:
        pq.write_table(plain, folder / f"refused_{codec}.parquet", compression=codec)
    pq.write_table(pa.table({"text": pa.array([["a"], ["b", "c"]])}), folder / "refused_list.parquet")
    pq.write_table(pa.table({"text": [1, 2, 3]}), folder / "refused_type.parquet")
    pq.write_table(pa.table({"text": pa.array([b"ok", b"bad \xff\xfe", b"ok too"], pa.binary())}),
                   folder / "invalid_utf8.parquet")


if __name__ == "__main__":
    main()
