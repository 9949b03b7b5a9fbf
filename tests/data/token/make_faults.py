#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes faults.jsonl.zst: every field of five small tokenizer.json, edited in each of eleven ways; whether HF tokenizers
takes the file (loads it and encodes a text), and the words of our error, "" for none.
Usage: make_faults.py TOKEN_IDS > faults.jsonl; zstd -19 faults.jsonl (TOKEN_IDS: the program tests/bench/token_ids)
Read the differences to the file before: a fault that HF tokenizers refuses and we do not needs a reason, which is in
tests/unit/token/load_faults_test.cpp. Needs tokenizers from PyPI; made with 0.23.3."""
import copy
import json
import os
import subprocess
import sys
import tempfile

import tokenizers

ALPHABET = [chr(c) for c in [*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324)]]
EDITS = {"remove": None, "null": None, "number": 7, "negative": -1, "fraction": 1.5, "huge": 1e30, "text": "x", "empty": "",
         "array": [], "object": {}, "true": True}


def added(number, content):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True}


def whole(added_tokens, normalizer, pre_tokenizer, post_processor, decoder, model):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": decoder, "model": model}


def sequence(key, *steps):
    return {"type": "Sequence", key: list(steps)}


def text(name, **more):
    return {name: {"id": more.pop("id"), "type_id": more.pop("type_id", 0)}}


def bpe(vocab, merges, **more):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": merges} | more


def byte_level():
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def metaspace():
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}


BASES = {
    "byte-level BPE": whole(
        [added(258, "<|end|>")],
        sequence("normalizers", {"type": "NFC"}, {"type": "Replace", "pattern": {"String": "q"}, "content": "r"},
                 {"type": "Strip", "strip_left": False, "strip_right": False}, {"type": "Prepend", "prepend": "x"}),
        sequence("pretokenizers", {"type": "Digits", "individual_digits": True},
                 {"type": "Split", "pattern": {"Regex": "a+"}, "behavior": "Isolated", "invert": False},
                 {"type": "Punctuation", "behavior": "Isolated"}, {"type": "CharDelimiterSplit", "delimiter": "|"},
                 {"type": "FixedLength", "length": 9}, byte_level()),
        sequence("processors", byte_level(),
                 {"type": "TemplateProcessing", "single": [text("SpecialToken", id="<|end|>"), text("Sequence", id="A")],
                  "pair": [text("Sequence", id="A"), text("Sequence", id="B", type_id=1)],
                  "special_tokens": {"<|end|>": {"id": "<|end|>", "ids": [258], "tokens": ["<|end|>"]}}}),
        byte_level(), bpe({c: i for i, c in enumerate(ALPHABET)} | {"ab": 256, "abc": 257}, ["a b", "ab c"])),
    "WordPiece": whole(
        [added(0, "[UNK]"), added(1, "[CLS]"), added(2, "[SEP]")],
        {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        {"type": "BertPreTokenizer"}, {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
         "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##a": 4}}),
    "Unigram": whole(
        [added(0, "<unk>")], {"type": "Lowercase"}, metaspace(),
        {"type": "RobertaProcessing", "sep": ["<unk>", 0], "cls": ["<unk>", 0], "trim_offsets": True, "add_prefix_space": True},
        metaspace(),
        {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["\u2581", -2.5]], "byte_fallback": False}),
    "BPE": whole(
        [added(0, "<unk>")], None, {"type": "WhitespaceSplit"}, None,
        sequence("decoders", {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "ByteFallback"},
                 {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0},
                 {"type": "BPEDecoder", "suffix": "</w>"},
                 {"type": "CTC", "pad_token": "<p>", "word_delimiter_token": "|", "cleanup": True}),
        bpe({"<unk>": 0, "a": 1, "b": 2, "ab": 3}, ["a b"], unk_token="<unk>", continuing_subword_prefix="",
            end_of_word_suffix="", fuse_unk=True)),
    "WordLevel": whole([], None, {"type": "Whitespace"}, None, None,
                       {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}),
}


def paths(value, path=()):
    """Of all values inside; of a long vocabulary one byte and one merged token."""
    if path:
        yield path
    if isinstance(value, dict):
        keys = list(value) if len(value) < 200 else [next(iter(value)), "ab"]
        for key in keys:
            yield from paths(value[key], (*path, key))
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from paths(element, (*path, i))


def edited(base, path, edit):
    document = copy.deepcopy(base)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if edit == "remove":
        del parent[path[-1]]
    else:
        parent[path[-1]] = EDITS[edit]
    return document


def is_taken(document):
    try:
        tokenizers.Tokenizer.from_str(document).encode("ab a b", add_special_tokens=True)
        return True
    except BaseException as error:  # its panics are no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return False


def our_words(program, document):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.json")
        with open(path, "w") as file:
            file.write(document)
        run = subprocess.run([program, path, "-", "plain", "fast"], input=b"", capture_output=True, check=False)
    if run.returncode == 0:
        return ""
    message = run.stderr.decode().splitlines()[0]
    return message[message.index("t.json"):]


def main():
    for name, base in BASES.items():
        print(json.dumps({"base": name, "tokenizer": base}))
        for path in paths(base):
            for edit in EDITS:
                document = edited(base, path, edit)
                if document != base:
                    document = json.dumps(document)
                    print(json.dumps({"path": path, "edit": edit, "hf": is_taken(document),
                                      "words": our_words(sys.argv[1], document)}))


if __name__ == "__main__":
    main()
