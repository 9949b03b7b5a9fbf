#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Encoding speed of one thread against tiktoken and HF tokenizers in one run, ids compared.
Usage: token_peers.py TOKEN_BENCH RANKS.tiktoken PATTERN(gpt2|cl100k|o200k) HF_TOKENIZER.json TEXT
The rank file and the tokenizer.json should hold the same vocabulary. Needs tiktoken and tokenizers."""
import base64
import os
import statistics
import subprocess
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tiktoken  # noqa: E402
import tokenizers  # noqa: E402
from tiktoken_ext import openai_public  # noqa: E402

PATTERNS = {"gpt2": openai_public.r50k_pat_str}


def cut(text):
    documents = []
    while text:
        newline = text.find(b"\n", min(4096, len(text) - 1))
        end = len(text) if newline < 0 else newline + 1
        documents.append(text[:end].decode("utf-8"))
        text = text[end:]
    return documents


def measure(encode, documents, size):
    rates, count = [], 0
    for _ in range(3):
        begin = time.perf_counter()
        count = sum(len(encode(d)) for d in documents)
        rates.append(size / (time.perf_counter() - begin) / 1e6)
    return statistics.median(rates), count


def main():
    bench, ranks_file, pattern, hf_file, text_file = sys.argv[1:6]
    text = open(text_file, "rb").read().decode("utf-8", "replace").encode()
    documents = cut(text)
    ranks = {base64.b64decode(line.split()[0]): int(line.split()[1])
             for line in open(ranks_file, "rb") if len(line.split()) == 2}
    encoding = tiktoken.Encoding("bench", pat_str=PATTERNS[pattern], mergeable_ranks=ranks,
                                 special_tokens={})
    hf = tokenizers.Tokenizer.from_file(hf_file)
    hf.encode_special_tokens = True
    for name, encode in (("tiktoken " + tiktoken.__version__, encoding.encode_ordinary),
                         ("HF tokenizers " + tokenizers.__version__,
                          lambda d: hf.encode(d, add_special_tokens=False).ids)):
        rate, count = measure(encode, documents, len(text))
        print(f"{name}: {rate:.1f} MB/s, {count} tokens", flush=True)
    for name, args in (("longhaul, rank file", [ranks_file, pattern]),
                       ("longhaul, tokenizer.json", [hf_file, "-"])):
        result = subprocess.run([bench, *args, text_file, "5"], capture_output=True, text=True,
                                check=True)
        print(f"{name}: {result.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main()
