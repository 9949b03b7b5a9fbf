#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes scheme_pieces.jsonl.zst: how the real tokenizers cut texts, as byte offsets of the pieces' ends.
Usage: make_scheme_pieces.py SCHEME=tokenizer.json... > scheme_pieces.jsonl; zstd -19 scheme_pieces.jsonl
The scheme cl100k is cut by the pattern of tiktoken with the module regex; give it as cl100k=-.
Needs tokenizers, tiktoken and regex from PyPI. Made with tokenizers 0.23.2 and tiktoken 0.14.0."""
import itertools
import json
import random
import sys

import regex
import tokenizers
from tiktoken_ext import openai_public

PARTS = ["'s", "'LL", "'re", "'Ve", "'", "''", "n't", "'\u017f", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\u00a0",
         "\u3000", "\u2003", "\u0085", "1", "12", "345", "6789012", "\u0663\u0664", "\u2167", "\u00bd", "...", "/", "//\n/", "_",
         "!", "?!", "-", "$", "+=", "\u20ac", "\u00a9", "\u00ab", "\u201c", "\u2019s", "word", "Word", "WORD", "wOrd", "a", "Z",
         "\u00e9t\u00e9", "\u00c9", "\u0441\u043b\u043e\u0432\u043e", "\u0421\u041b", "\u01c5", "\u02b0", "\u0301", "\u0939\u093f\u0928\u094d\u0926\u0940",
         "\u4e2d\u6587", "\u3042\u30ab\u30fc\u309b", "\u3005", "\u3007", "\u2f00", "\ud55c\uad6d", "\u0e44\u0e17\u0e22", "\U0001f600", "\U0001f468\u200d\U0001f469", "\ufe0f", "\u200b", "\u200d",
         "\0", "\x01", "\x1f", "\ue000", "\ufffd", "\U00020000", "\U0001d7d9", "\u05d0\u05b7", "\u0627\u064e"]


def make_texts(count):
    rng = random.Random(20260801)
    texts = [a + b for a in PARTS for b in ("x", " ", "\n", "7", "!", "\u4e2d", "A")]
    for _ in range(count):
        texts.append("".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 14))))
    return texts


def cut(name, file):
    if file == "-":
        pattern = regex.compile(cl100k_pattern())
        return lambda text: [m.end() for m in pattern.finditer(text)]
    pre = tokenizers.Tokenizer.from_file(file).pre_tokenizer
    if name == "falcon":  # offsets are of characters, which it cuts inside; pieces are written in the byte alphabet
        return lambda text: list(itertools.accumulate(len(piece) for piece, _ in pre.pre_tokenize_str(text)))
    return lambda text: [end for _, (_, end) in pre.pre_tokenize_str(text)]


def cl100k_pattern():
    import inspect
    source = inspect.getsource(openai_public.cl100k_base)
    return regex.search(r'pat_str": r"""(.*?)"""', source).group(1)


def main():
    texts = make_texts(500)
    for argument in sys.argv[1:]:
        name, file = argument.split("=", 1)
        ends_of = cut(name, file)
        for text in texts:
            ends = ends_of(text)
            if name != "falcon":
                ends = [len(text[:end].encode()) for end in ends]
            print(json.dumps({"scheme": name, "text": text, "ends": ends}))


if __name__ == "__main__":
    main()
