#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads `tok-shard --format mds` with mosaicml-streaming's StreamingDataset and compares it with what llm-foundry writes.

    python mds_peer.py TOK_SHARD LLM_FOUNDRY TOKENIZER.json EOS CORPUS.jsonl [DOCUMENTS]

LLM_FOUNDRY is a checkout of github.com/mosaicml/llm-foundry; needs mosaicml-streaming, torch, torchvision, transformers and datasets.
CORPUS has documents {"text": ...} (token_corpus.py), of which every n-th is taken until there are DOCUMENTS (2000). Checked are

- StreamingDataset, from the folder and through a copy with validate_hash="xxh128", in a DataLoader with two workers: documents;
- the same with samples of fixed length, and as llm-foundry's StreamingTextDataset gives them;
- llm-foundry's convert_dataset_json with --concat_tokens and --eos_text: the same samples as --mds-sample, and `cat` of its files.

Of llm-foundry only the modules of these three are loaded, around them are stand-ins: the package needs composer. Exits 1 when
anything differs.
"""
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile
import types

import numpy
import torch
from streaming import StreamingDataset

LENGTH = 512
SPECIAL_TEXTS = ["a<|endoftext|>b", "", " ", "\0", "<|endoftext|>", "\u00a0\u3000"]


def check(condition, what):
    print("ok  " if condition else "FAIL", what, flush=True)
    check.failed |= not condition


check.failed = False


def write_corpus(source, path, count, with_empty):
    with open(source, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, 0, 17 * count, 17)]
    texts = SPECIAL_TEXTS + texts + SPECIAL_TEXTS
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps({"text": text}) + "\n" for text in texts if text or with_empty)


def load_foundry(checkout):
    """@return llm-foundry's convert_dataset_json and StreamingTextDataset"""
    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)

    def load(name, path):
        spec = importlib.util.spec_from_file_location(name, f"{checkout}/llmfoundry/{path}")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]

    module("llmfoundry.registry")
    module("llmfoundry", registry=sys.modules["llmfoundry.registry"])
    module("llmfoundry.utils")
    module("llmfoundry.utils.registry_utils", construct_from_registry=None)
    module("composer")
    module("composer.core")
    module("composer.core.data_spec", DataSpec=object)
    module("llmfoundry.data")
    data = load("llmfoundry.data.data", "data/data.py")
    module("llmfoundry.data", ConcatTokensDataset=data.ConcatTokensDataset, NoConcatDataset=data.NoConcatDataset, data=data)
    convert = load("convert_dataset_json", "command_utils/data_prep/convert_dataset_json.py")
    return convert.convert_dataset_json_from_args, load("text_data", "data/text_data.py").StreamingTextDataset


def samples(dataset):
    """In the order of a DataLoader with two workers."""
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=2, collate_fn=list, prefetch_factor=2)
    rows = [sample["tokens"] if isinstance(sample, dict) else sample.numpy() for batch in loader for sample in batch]
    return [numpy.array(row) for row in rows]


def stream(path, **options):
    return StreamingDataset(local=path, shuffle=False, batch_size=4, predownload=64, num_canonical_nodes=1, **options)


def equal(found, expected):
    return len(found) == len(expected) and all(numpy.array_equal(a, b) for a, b in zip(found, expected))


def copy_tokenizer(file, eos, folder):
    os.makedirs(folder)
    with open(file, "rb") as source, open(f"{folder}/tokenizer.json", "wb") as target:
        target.write(source.read())
    with open(f"{folder}/tokenizer_config.json", "w", encoding="utf-8") as out:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": eos}, out)
    return folder


def printed(tok_shard, path):
    out = subprocess.run([tok_shard, "cat", path], check=True, capture_output=True, text=True).stdout
    return [numpy.array(line.split(), numpy.int64) for line in out.splitlines()]


def check_documents(run, tok_shard, folder, source, count):
    corpus = f"{folder}/filled.jsonl"
    write_corpus(source, corpus, count, with_empty=False)
    run("documents", corpus, "--mds-size-limit", "1MiB")
    run("hdf5", corpus, form="hdf5")
    expected = printed(tok_shard, f"{folder}/hdf5")
    size = sum(map(len, expected))
    check(equal(samples(stream(f"{folder}/documents")), expected), f"StreamingDataset: {len(expected)} documents, {size} tokens")
    check(equal(samples(stream(f"{folder}/documents_copy", remote=f"{folder}/documents", validate_hash="xxh128")), expected),
          "StreamingDataset with a remote and validate_hash: the same")


def check_concat(run, tok_shard, checkout, folder, source, count, tokenizer, eos):
    convert, text_dataset = load_foundry(checkout)
    corpus = f"{folder}/all.jsonl"
    write_corpus(source, corpus, count, with_empty=True)
    run("packed", corpus, "--mds-sample", str(LENGTH), "--empty", "keep", "--mds-size-limit", "1MiB")
    convert(corpus, f"{folder}/foundry", None, LENGTH, "train", tokenizer=copy_tokenizer(tokenizer, eos, f"{folder}/tokenizer"),
            eos_text=eos)
    theirs = samples(stream(f"{folder}/foundry"))
    check(equal(samples(stream(f"{folder}/packed")), theirs), f"convert_dataset_json: {len(theirs)} samples of {LENGTH}")
    check(theirs[0].dtype == numpy.int32 and samples(stream(f"{folder}/packed"))[0].dtype == numpy.int32, "of int32")
    check(equal(printed(tok_shard, f"{folder}/foundry"), theirs), "cat of its files")
    dataset = text_dataset(tokenizer=None, max_seq_len=LENGTH, local=f"{folder}/packed", shuffle=False, batch_size=4)
    check(equal(samples(dataset), theirs), "StreamingTextDataset of llm-foundry")


def main():
    tok_shard, checkout, tokenizer = (os.path.abspath(path) for path in sys.argv[1:4])
    eos, source = sys.argv[4], os.path.abspath(sys.argv[5])
    count = int(sys.argv[6]) if len(sys.argv) > 6 else 2000
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HF_HOME=folder, HF_DATASETS_CACHE=folder, HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

        def run(name, corpus, *words, form="mds"):
            subprocess.run([tok_shard, "-q", "-t", tokenizer, "--eos", eos, "--bos", "none", "--special-text", "parse", "--format", form,
                            "-o", f"{folder}/{name}", *words, corpus], check=True)

        check_documents(run, tok_shard, folder, source, count)
        check_concat(run, tok_shard, checkout, folder, source, count, tokenizer, eos)
    sys.exit(check.failed)


if __name__ == "__main__":
    main()
