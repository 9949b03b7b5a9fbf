#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes documents.json and the Megatron files of these documents, by Megatron's own code.

make_megatron.py [FOLDER]: needs megatron-core and numpy; torch may be any version, because only
megatron/core/datasets/indexed_dataset.py is imported, without the package's __init__. The
documents go through IndexedDatasetBuilder as tools/preprocess_data.py hands them over: one
sequence a document, none for a document without tokens.
"""
import importlib.util
import json
import os
import random
import sys
import types

import numpy


def import_indexed_dataset():
    root = list(importlib.util.find_spec("megatron").submodule_search_locations)[0]
    for name in ("megatron.core", "megatron.core.datasets"):
        module = types.ModuleType(name)
        module.__path__ = [os.path.join(root, *name.split(".")[1:])]
        sys.modules[name] = module
    utils = types.ModuleType("megatron.core.utils")
    utils.log_single_rank = lambda *_, **__: None
    sys.modules["megatron.core.utils"] = utils
    from megatron.core.datasets import indexed_dataset
    return indexed_dataset


def make_documents():
    """Lengths around the borders of MDS's size types; one document without tokens."""
    generator = random.Random(20261130)
    lengths = [5, 1, 0, 255, 256, 40, 300, 7, 0, 2] + [generator.randrange(1, 60) for _ in range(50)]
    return [[generator.randrange(500) for _ in range(length)] for length in lengths]


def write(indexed_dataset, prefix, documents, vocab_size):
    builder = indexed_dataset.IndexedDatasetBuilder(
        prefix + ".bin", dtype=indexed_dataset.DType.optimal_dtype(vocab_size))
    for ids in documents:  # tools/preprocess_data.py, Encoder.encode and process_json_file
        builder.add_document(ids, [len(ids)] if ids else [])
    builder.finalize(prefix + ".idx")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    indexed_dataset = import_indexed_dataset()
    documents = make_documents()
    with open(os.path.join(folder, "documents.json"), "w", encoding="ascii") as out:
        out.write("[" + ",\n".join(json.dumps(ids, separators=(",", ":")) for ids in documents) + "]\n")
    write(indexed_dataset, os.path.join(folder, "megatron_u16"), documents, 65499)
    write(indexed_dataset, os.path.join(folder, "megatron_i32"), documents, 65500)
    # Sentences: several sequences a document, as --split-sentences makes them.
    prefix = os.path.join(folder, "megatron_sentences")
    builder = indexed_dataset.IndexedDatasetBuilder(prefix + ".bin", dtype=numpy.uint16)
    for ids in documents[:12]:
        cut = len(ids) // 3
        builder.add_document(ids, [n for n in (cut, len(ids) - cut) if n > 0])
    builder.finalize(prefix + ".idx")


if __name__ == "__main__":
    main()
