#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the MDS folders of the tests, by mosaicml-streaming's own MDSWriter.

make_mds.py [FOLDER]: reads documents.json (make_megatron.py); needs mosaicml-streaming, numpy,
pillow, xxhash, zstd, brotli and python-snappy. Only streaming/base/format/mds is imported, so its
dependencies for clouds and training are not needed.
"""
import importlib.util
import json
import os
import shutil
import sys
import types

import numpy


def import_writer():
    root = list(importlib.util.find_spec("streaming").submodule_search_locations)[0]
    for name in ("streaming", "streaming.base"):
        module = types.ModuleType(name)
        module.__path__ = [os.path.join(root, *name.split(".")[1:])]
        sys.modules[name] = module
    storage = types.ModuleType("streaming.base.storage.upload")

    class CloudUploader:
        """A local folder: nothing is sent anywhere."""

        def __init__(self, out):
            self.local, self.remote = out, None
            os.makedirs(out)

        @classmethod
        def get(cls, out, *_):
            return cls(out)

        def upload_file(self, _):
            pass

    storage.CloudUploader = CloudUploader
    for name in ("streaming.base.storage", "streaming.base.storage.upload"):
        sys.modules[name] = storage
    from streaming.base.format.mds.writer import MDSWriter
    return MDSWriter


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "documents.json"), encoding="ascii") as stream:
        documents = [ids for ids in json.load(stream) if ids]  # MDSWriter refuses empty arrays
    writer_class = import_writer()

    def write(name, samples, columns, **options):
        path = os.path.join(folder, name)
        shutil.rmtree(path, ignore_errors=True)
        with writer_class(columns=columns, out=path, **options) as out:
            for sample in samples:
                out.write(sample)

    int32 = [numpy.array(ids, numpy.int32) for ids in documents]
    write("mds_documents", [{"tokens": ids} for ids in int32], {"tokens": "ndarray:int32"},
          hashes=["xxh128"], size_limit=3000)
    stream = numpy.concatenate(int32).astype(numpy.uint16)
    write("mds_samples", [{"tokens": stream[i:i + 64]} for i in range(0, len(stream) - 63, 64)],
          {"tokens": "ndarray:uint16:64"}, hashes=["xxh128"], size_limit=2000)
    # Other columns around the ids, compressed shards.
    write("mds_columns", [{"id": i, "name": f"n{i}", "tokens": ids, "url": "u" * (i % 5)}
                          for i, ids in enumerate(int32[:20])],
          {"tokens": "ndarray:int32", "name": "str", "id": "int", "url": "str"},
          compression="zstd:3", size_limit=4000)


if __name__ == "__main__":
    main()
