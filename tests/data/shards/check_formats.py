#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares tok-shard's formats with the programs that they belong to.

check_formats.py TOK_SHARD TOKENIZER.json CORPUS.jsonl [EOD]: needs tokenizers, h5py, numpy and what
make_megatron.py and make_mds.py need. Exits 1 at the first difference. Run by hand: tests need no
Python at run time.

- Megatron: the ids of HF tokenizers through tools/preprocess_data.py's Encoder and
  IndexedDatasetBuilder, --append-eod, byte for byte; IndexedDataset reads the files; the shards
  merged by `convert` are those that tools/merge_datasets.py makes (IndexedDatasetBuilder.add_index).
- MDS: mosaicml-streaming's MDSReader gives the same ids, from samples of documents and of 128 ids.
- HDF5: h5py gives the same ids and offsets.
"""
import filecmp
import glob
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

import make_mds
import make_megatron


def encode_documents(tokenizer_file, corpus, eod):
    """tools/preprocess_data.py, Encoder.encode with --append-eod."""
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(tokenizer_file)
    tokenizer.encode_special_tokens = True
    documents = []
    with open(corpus, encoding="utf-8") as lines:
        for line in lines:
            ids = tokenizer.encode(json.loads(line)["text"], add_special_tokens=False).ids
            documents.append(ids + [tokenizer.token_to_id(eod)] if ids else [])
    return documents, tokenizer.get_vocab_size(with_added_tokens=True)


def check(condition, what):
    print("ok  " if condition else "FAIL", what)
    if not condition:
        sys.exit(1)


def check_megatron(run, folder, documents, vocab_size):
    indexed_dataset = make_megatron.import_indexed_dataset()
    make_megatron.write(indexed_dataset, f"{folder}/reference", documents, vocab_size)
    run("-o", f"{folder}/whole", "--format", "megatron")
    for ending in ("bin", "idx"):
        check(filecmp.cmp(f"{folder}/whole/shard-00000-000.{ending}", f"{folder}/reference.{ending}",
                          shallow=False), f"megatron .{ending} is that of preprocess_data.py")
    run("-o", f"{folder}/units", "--format", "megatron", "--unit-size", "5000")
    run("convert", f"{folder}/units", "-o", f"{folder}/merged", "--format", "megatron")
    builder = indexed_dataset.IndexedDatasetBuilder(
        f"{folder}/builder.bin", dtype=indexed_dataset.DType.optimal_dtype(vocab_size))
    for path in sorted(glob.glob(f"{folder}/units/*.idx")):
        builder.add_index(path[:-4])
    builder.finalize(f"{folder}/builder.idx")
    for ending in ("bin", "idx"):
        check(filecmp.cmp(f"{folder}/merged/tokens.{ending}", f"{folder}/builder.{ending}",
                          shallow=False), f"merged .{ending} is that of merge_datasets.py")
    dataset = indexed_dataset.IndexedDataset(f"{folder}/merged/tokens")
    found = [dataset[i].tolist() for i in range(len(dataset))]
    check(found == [ids for ids in documents if ids], "megatron-core's IndexedDataset reads it")


def check_mds(run, folder, documents):
    make_mds.import_writer()  # for its stand-ins of packages that are not needed
    from streaming.base.format import reader_from_json

    def read(path):
        with open(f"{path}/index.json", encoding="utf-8") as stream:
            shards = [reader_from_json(path, "", info) for info in json.load(stream)["shards"]]
        return [shard[i]["tokens"] for shard in shards for i in range(shard.size)]

    run("-o", f"{folder}/mds", "--format", "mds", "--mds-size-limit", "20KiB")
    found = read(f"{folder}/mds")
    check([ids.tolist() for ids in found] == documents and found[0].dtype == numpy.int32,
          "MDSReader reads documents")
    run("-o", f"{folder}/packed", "--format", "mds", "--mds-sample", "128")
    stream = numpy.concatenate([numpy.array(ids, numpy.int32) for ids in documents])
    found = read(f"{folder}/packed")
    check(all(ids.shape == (128,) for ids in found) and
          numpy.array_equal(numpy.concatenate(found), stream[:len(stream) // 128 * 128]),
          "MDSReader reads samples of 128, as ConcatTokensDataset cuts them")


def check_hdf5(run, folder, documents):
    run("-o", f"{folder}/hdf5")
    with h5py.File(f"{folder}/hdf5/shard-00000-000.h5") as shard:
        tokens, offsets = shard["tokens"][:], shard["doc_offsets"][:]
        sources = shard["doc_source"][:].reshape(-1, 2)
    found = [tokens[a:b].tolist() for a, b in zip(offsets, offsets[1:])]
    check(found == documents and len(sources) == len(documents), "h5py reads documents")


def main():
    program, tokenizer, corpus = sys.argv[1:4]
    eod = sys.argv[4] if len(sys.argv) > 4 else "<|endoftext|>"
    documents, vocab_size = encode_documents(tokenizer, corpus, eod)
    common = ["-t", tokenizer, "--empty", "bare", "--bos", "none", "--eos", eod]

    def run(*words):
        encodes = words[0] != "convert"
        command = [program, *words, *(common + [corpus] if encodes else []), "-q"]
        subprocess.run(command, check=True)

    with tempfile.TemporaryDirectory() as folder:
        check_megatron(run, folder, documents, vocab_size)
        check_hdf5(run, folder, documents)
        filled = [ids for ids in documents if ids]
        with open(f"{folder}/filled.jsonl", "w", encoding="utf-8") as out:
            with open(corpus, encoding="utf-8") as lines:
                out.writelines(line for line, ids in zip(lines, documents) if ids)
        corpus = f"{folder}/filled.jsonl"
        check_mds(run, folder, filled)
    print(f"{len(documents)} documents, {sum(map(len, documents))} tokens: equal, "
          f"in {os.path.basename(program)} as there")


if __name__ == "__main__":
    main()
