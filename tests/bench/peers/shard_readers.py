#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shards as other programs see them: h5py, numpy, and HF tokenizers or tiktoken as the truth.

    shard_readers.py templates TOK_SHARD DOCUMENTS.jsonl FOLDER...
        FOLDER/tokenizer.json each: `--bos template --eos template` gives, in HDF5, Megatron and MDS,
        the ids of encode(text, add_special_tokens=True), documents cut at doc_offsets.
    shard_readers.py bytes TOK_SHARD GPT2_RANKS
        `--invalid-utf8 bytes`: valid documents have tiktoken's ids; of others the pieces are those of
        the text with U+FFFD, each encoded as tiktoken encodes the bytes; decode gives the bytes back.

Needs h5py, numpy, tokenizers, tiktoken, regex.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*args):
    subprocess.run([str(a) for a in args], check=True)


def documents_of_h5(folder):
    import h5py

    for path in sorted(Path(folder).glob("shard-*.h5")):
        with h5py.File(path) as shard:
            tokens, offsets = shard["tokens"][:], shard["doc_offsets"][:]
            for begin, end in zip(offsets[:-1], offsets[1:]):
                yield tokens[begin:end].tolist()


def documents_of_megatron(folder):
    import numpy as np

    for path in sorted(Path(folder).glob("shard-*.idx")):
        index = path.read_bytes()
        dtype = {4: np.int32, 8: np.uint16}[index[17]]
        count = int.from_bytes(index[18:26], "little")
        lengths = np.frombuffer(index, np.int32, count, 34)
        tokens = np.fromfile(path.with_suffix(".bin"), dtype)
        at = 0
        for length in lengths:
            yield tokens[at : at + length].tolist()
            at += length


def documents_of_mds(folder):
    import numpy as np

    for path in sorted(Path(folder).glob("shard-*.mds")):
        data = path.read_bytes()
        count = int.from_bytes(data[:4], "little")
        offsets = np.frombuffer(data, np.uint32, count + 1, 4)
        for begin, end in zip(offsets[:-1], offsets[1:]):
            sample = data[begin:end]  # u32 size, u8 of the dtype of the shape, the shape, int32 ids
            shape_bytes = 1 << (sample[4] & 3)
            yield np.frombuffer(sample, np.int32, -1, 5 + shape_bytes).tolist()


READERS = {"hdf5": documents_of_h5, "megatron": documents_of_megatron, "mds": documents_of_mds}


def templates(tok_shard, corpus, folders):
    from tokenizers import Tokenizer

    texts = [json.loads(line)["text"] for line in open(corpus)]
    failed = False
    for folder in folders:
        name = Path(folder).name
        truth = Tokenizer.from_file(f"{folder}/tokenizer.json")
        truth.encode_special_tokens = True  # text of control tokens is text
        truth.no_truncation()
        truth.no_padding()
        expected = [e.ids for e in truth.encode_batch(texts, add_special_tokens=True)]
        with tempfile.TemporaryDirectory() as out:
            for form, documents in READERS.items():
                run(tok_shard, "-q", "-t", f"{folder}/tokenizer.json", "--bos", "template", "--eos",
                    "template", "--empty", "keep", "--format", form, "-o", f"{out}/{form}", corpus)
                got = list(documents(f"{out}/{form}"))
                kept = expected if form != "megatron" else [ids for ids in expected if ids]
                wrong = [i for i, (a, b) in enumerate(zip(got, kept)) if a != b]
                if len(got) != len(kept) or wrong:
                    failed = True
                print(f"{name} {form}: {len(got)} of {len(kept)} documents, "
                      f"{sum(map(len, got))} ids, {len(wrong)} documents differ", flush=True)
            run(tok_shard, "verify", "--no-progress", f"{out}/hdf5")
            details = json.load(open(f"{out}/hdf5/manifest.json"))["details"]
            print(f"  bos {details['bos_id']} eos {details['eos_id']}", flush=True)
    return failed


def random_bytes(rng):
    parts = ["plain text, ", "d\xe9j\xe0 vu ", "12345 ", "\n\n  ", "\u65e5\u672c\u8a9e", "\U0001f600", "\ufffd",
             "don't ", "!?", "\t"]
    data = b""
    for _ in range(rng.randrange(1, 40)):
        if rng.random() < 0.3:
            data += bytes(rng.choice([0x80, 0xBF, 0xC0, 0xC3, 0xE2, 0xED, 0xF0, 0xF5, 0xFF, 0xA0])
                          for _ in range(rng.randrange(1, 5)))
        else:
            piece = rng.choice(parts).encode()
            data += piece[: rng.randrange(1, len(piece) + 1)]
    return data


def is_utf8(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def pieces_of(data, pattern):
    """The pieces of the text with U+FFFD, with the bytes put back."""
    import regex

    text, raw = "", []
    rest = data
    while rest:
        try:
            text += rest.decode()
            break
        except UnicodeDecodeError as error:
            text += rest[: error.start].decode()
            raw.append((len(text), rest[error.start : error.end]))
            text += "\ufffd"
            rest = rest[error.end :]
    at, raw = 0, dict(raw)
    for match in regex.finditer(pattern, text):
        yield b"".join(raw.get(i, text[i].encode()) for i in range(match.start(), match.end()))


def raw_bytes(tok_shard, ranks):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(ranks),
                                 special_tokens={})
    rng = random.Random(4)
    documents = [random_bytes(rng) for _ in range(20000)]
    escapes = {ord('"'): b'\\"', ord("\\"): b"\\\\", 10: b"\\n", 9: b"\\t"}
    wrong = num_raw = same_as_tiktoken = 0
    with tempfile.TemporaryDirectory() as out:
        with open(f"{out}/in.jsonl", "wb") as lines:
            for data in documents:
                lines.write(b'{"text":"' + b"".join(escapes.get(b, bytes([b])) for b in data) + b'"}\n')
        run(tok_shard, "-q", "-t", ranks, "--pattern", "gpt2", "--eos", "none", "--invalid-utf8",
            "bytes", "-o", f"{out}/s", f"{out}/in.jsonl")
        got = list(documents_of_h5(f"{out}/s"))
        assert len(got) == len(documents), (len(got), len(documents))
        for data, ids in zip(documents, got):
            expected = [id for piece in pieces_of(data, pattern)
                        for id in encoding._encode_single_piece(piece)]
            num_raw += not is_utf8(data)
            same_as_tiktoken += not is_utf8(data) and encoding._encode_bytes(data) == ids
            if is_utf8(data):
                expected = encoding.encode_ordinary(data.decode())
            wrong += ids != expected or encoding.decode_bytes(ids) != data
        decoded = subprocess.run([tok_shard, "decode", "--json", f"{out}/s"], check=True,
                                 capture_output=True).stdout
        for data, line in zip(documents, decoded.splitlines()):
            item = json.loads(line)
            wrong += bytes.fromhex(item["text_hex"]) != data if "text_hex" in item \
                else item["text"].encode() != data
        run(tok_shard, "verify", "--no-progress", f"{out}/s")
    print(f"bytes: {len(documents)} documents, {num_raw} of them not UTF-8, {wrong} wrong; "
          f"{same_as_tiktoken} of those have the ids of tiktoken's _encode_bytes")
    return wrong > 0


if __name__ == "__main__":
    if sys.argv[1] == "templates":
        sys.exit(templates(sys.argv[2], sys.argv[3], sys.argv[4:]))
    sys.exit(raw_bytes(sys.argv[2], sys.argv[3]))
