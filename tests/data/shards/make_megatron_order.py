#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sample orders of the real Megatron-LM, for tests/unit/shards/megatron_test.cpp.

    make_megatron_order.py MEGATRON_CHECKOUT > megatron_order.json

Runs GPTDataset and BlendedDataset of the checkout (last made with commit d98e8a6 of 2026-08-22) over
IndexedDatasets that it writes itself; helpers.cpp is compiled with pybind11. Needs numpy, torch and a
C++ compiler. Modules of Megatron outside of megatron.core.datasets are replaced by stubs: the order
does not depend on them, and importing them needs CUDA builds.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import types

import numpy


class Stub(types.ModuleType):
    """A module in which every name is a class that does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "log_single_rank":
            return lambda *args, **kwargs: None
        if name == "maybe_msc":  # object storage: files of the file system pass through it
            return types.SimpleNamespace(open=open, os=os, numpy=numpy)
        return type(name, (), {"__init__": lambda self, *args, **kwargs: None})


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        is_ours = name.startswith("megatron.core.") and not name.startswith("megatron.core.datasets")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_ours else None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def load_megatron(checkout, build_folder):
    core = types.ModuleType("megatron.core")
    core.__path__ = [os.path.join(checkout, "megatron", "core")]
    sys.modules["megatron"] = types.ModuleType("megatron")
    sys.modules["megatron"].__path__ = [os.path.join(checkout, "megatron")]
    sys.modules["megatron.core"] = core
    sys.meta_path.insert(0, StubFinder())
    import pybind11

    datasets = os.path.join(checkout, "megatron", "core", "datasets")
    library = os.path.join(build_folder, "helpers_cpp" + sysconfig.get_config_var("EXT_SUFFIX"))
    subprocess.run(
        ["c++", "-O3", "-shared", "-std=c++17", "-fPIC", "-I", pybind11.get_include(),
         "-I", sysconfig.get_paths()["include"], os.path.join(datasets, "helpers.cpp"), "-o", library],
        check=True)
    name = "megatron.core.datasets.helpers_cpp"
    spec = importlib.util.spec_from_file_location(name, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module


def lengths_of(number, count):
    """Document lengths by a formula that the C++ test knows too: mostly short, some long."""
    lengths = []
    for i in range(count):
        draw = ((number + 1) * 2654435761 + i * 40503) % 2**32 // 65536
        lengths.append(1 + draw % 37 + (200 if draw % 53 == 0 else 0))
    return lengths


def write_indexed(prefix, lengths):
    """Version 1, u16 tokens that count up; one sequence a document."""
    with open(prefix + ".bin", "wb") as out:
        out.write((numpy.arange(sum(lengths)) % 60000).astype("<u2").tobytes())
    offsets = numpy.concatenate(([0], numpy.cumsum(lengths)[:-1])) * 2
    with open(prefix + ".idx", "wb") as out:
        out.write(b"MMIDIDX\x00\x00" + numpy.uint64(1).tobytes() + numpy.uint8(8).tobytes())
        out.write(numpy.uint64(len(lengths)).tobytes() + numpy.uint64(len(lengths) + 1).tobytes())
        out.write(numpy.array(lengths, "<i4").tobytes() + offsets.astype("<i8").tobytes())
        out.write(numpy.arange(len(lengths) + 1, dtype="<i8").tobytes())


class Config(types.SimpleNamespace):
    def __getattr__(self, name):
        return False


def gpt_dataset(prefix, lengths, seq_len, seed, num_samples):
    from megatron.core.datasets.gpt_dataset import GPTDataset
    from megatron.core.datasets.indexed_dataset import IndexedDataset
    from megatron.core.datasets.utils import Split

    self = GPTDataset.__new__(GPTDataset)
    self.config = Config(sequence_length=seq_len, random_seed=seed, path_to_cache=None,
                         add_extra_token_to_sequence=1, mock=True)
    self.dataset = IndexedDataset(prefix)
    self.indices = numpy.arange(len(lengths), dtype=numpy.int32)
    self.num_samples = num_samples
    self.index_split = Split.train
    self._pad_token_id = -1
    (self.document_index, self.sample_index, self.shuffle_index) = (
        self._build_document_sample_shuffle_indices())
    return self


def one_set(folder, number, count, seq_len, seed, num_samples):
    lengths = lengths_of(number, count)
    prefix = os.path.join(folder, "set")
    write_indexed(prefix, lengths)
    data = gpt_dataset(prefix, lengths, seq_len, seed, num_samples)
    first = [data._query_document_sample_shuffle_indices(i)[0] for i in range(len(data.shuffle_index))]
    return {
        "number": number, "documents": count, "seq_len": seq_len, "seed": seed,
        "num_samples": num_samples, "built": len(data.shuffle_index),
        "document_index": data.document_index[:40].tolist(),
        "document_index_sum": int((data.document_index.astype("i8")
                                   * (numpy.arange(len(data.document_index)) + 1)).sum() % 2**61),
        "sample_index": data.sample_index[:20].tolist() + data.sample_index[-3:].tolist(),
        "shuffle_index": data.shuffle_index[:40].tolist(),
        "shuffle_index_sum": int((data.shuffle_index.astype("i8")
                                  * (numpy.arange(len(data.shuffle_index)) + 1)).sum() % 2**61),
        "first_tokens": [int(sample[0]) for sample in first[:60]],
        "tokens_sum": int(sum((i + 1) * int(sample.sum()) for i, sample in enumerate(first)) % 2**61),
    }


def blend(weights, size):
    """The calls of BlendedMegatronDatasetBuilder and BlendedDataset, by the real functions."""
    from megatron.core.datasets import helpers
    from megatron.core.datasets.blended_megatron_dataset_builder import (
        _get_size_per_split_per_dataset)
    from megatron.core.datasets.utils import normalize

    once = normalize(weights)
    target = [sizes[0] for sizes in _get_size_per_split_per_dataset(once, [size])]
    built = [sizes[0] for sizes in _get_size_per_split_per_dataset(once, [size], surplus=0.005)]
    total = sum(target)
    index = numpy.zeros(total, dtype=numpy.int16)
    samples = numpy.zeros(total, dtype=numpy.int64)
    helpers.build_blending_indices(index, samples, normalize(once), len(weights), total, False)
    places = numpy.arange(total) + 1
    return {
        "weights": weights, "num_samples": size, "shown": target, "built": built,
        "sets": index[:60].tolist(),
        "sets_sum": int((index.astype("i8") * places).sum() % 2**61),
        "samples_sum": int((samples * places).sum() % 2**61),
    }


def main():
    checkout = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        load_megatron(checkout, folder)
        result = {"sets": [], "blends": []}
        # documents, seq_len, seed, samples: one epoch; several; the last one short (kept apart) or
        # nearly whole (shuffled with the others); samples longer than documents and shorter.
        for number, case in enumerate([
                (100, 16, 1234, 50), (100, 16, 1234, 130), (100, 16, 7, 300), (100, 16, 0, 560),
                (57, 64, 4294967295, 97), (1000, 8, 42, 9000), (3, 500, 5, 4), (1, 4, 1, 30),
                (700, 32, 99, 440), (700, 32, 99, 1200)]):
            result["sets"].append(one_set(folder, number, *case))
        many = [round(1 + (i * 37 % 101) / 7, 3) for i in range(150)]
        for weights, size in [([0.3, 0.7], 1000), ([5, 3, 2], 999), ([1.0, 1.0], 11),
                              (many[:9], 2000), (many[:130], 4000), (many, 3000), ([0.001, 0.999], 5000)]:
            result["blends"].append(blend(weights, size))
    json.dump(result, sys.stdout, indent=None, separators=(",", ":"))
    sys.stdout.write("\n")


main()
