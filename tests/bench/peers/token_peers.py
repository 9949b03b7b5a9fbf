#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Encoding speed of one thread, text resident, beside gigatoken, tiktoken and HF tokenizers; token counts compared.
Usage: token_peers.py [--gigatoken-only] TOKEN_BENCH TEXT... -- NAME:RANKS.tiktoken:SCHEME[:TOKENIZER.json]...
SCHEME is gpt2, cl100k, llama3 or qwen2. Texts are cut into documents of about 4 KB, at line ends. Every program is a process of
its own and counts CPU seconds, loading and preparing left out; first pass (nothing cached), the second half of the first pass (new text for a
program that has seen some) and median of the three passes that follow, except that tiktoken and HF tokenizers, which cache nothing that
matters, get 2 MB, spread over the text, and one figure. Prints a table in Markdown. Needs
gigatoken, tiktoken and tokenizers from PyPI."""
import base64
import json
import os
import re
import statistics
import subprocess
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
GIGATOKEN_NAMES = {"gpt2": "gpt2", "cl100k": "cl100k", "llama3": "cl100k", "qwen2": "qwen2"}


def cut(text):
    documents, begin = [], 0
    while begin < len(text):
        newline = text.find(b"\n", min(begin + 4096, len(text) - 1))
        end = len(text) if newline < 0 else newline + 1
        documents.append(text[begin:end])
        begin = end
    return documents


def load_ranks(file):
    lines = (line.split() for line in open(file, "rb"))
    return {base64.b64decode(parts[0]): int(parts[1]) for parts in lines if len(parts) == 2}


def make_encoder(program, ranks, scheme, hf):
    """A function from documents to the number of tokens."""
    if program == "gigatoken":
        import awkward
        import gigatoken
        tokenizer = gigatoken.Tokenizer(hf) if hf else gigatoken.Tokenizer.from_tiktoken(
            ranks, pretokenizer=GIGATOKEN_NAMES[scheme])
        return lambda documents: awkward.num(tokenizer.encode_batch(documents, parallel=False), axis=1)
    if program == "tiktoken":
        import tiktoken
        from tiktoken_ext import openai_public
        patterns = {"gpt2": openai_public.r50k_pat_str, "llama3": LLAMA3, "qwen2": LLAMA3.replace("{1,3}", "")}
        pattern = patterns.get(scheme) or re.search(
            r'"pat_str": r"""(.*?)"""', open(openai_public.__file__, encoding="utf-8").read().split("def cl100k_base")[1]).group(1)
        encoding = tiktoken.Encoding("bench", pat_str=pattern, mergeable_ranks=load_ranks(ranks), special_tokens={})
        return lambda documents: [len(encoding.encode_ordinary(d)) for d in documents]
    import tokenizers
    tokenizer = tokenizers.Tokenizer.from_file(hf)
    tokenizer.encode_special_tokens = True
    return lambda documents: [len(tokenizer.encode(d, add_special_tokens=False).ids) for d in documents]


def measure(program, ranks, scheme, hf, text_file):
    """Runs in a process of its own: prints first, median, tokens, bytes, second half of the first."""
    text = open(text_file, "rb").read().decode("utf-8", "replace").encode()
    documents = cut(text)
    if program != "gigatoken":
        documents = documents[::max(1, len(text) // 2_000_000)]
    size = sum(map(len, documents))
    if program != "gigatoken":
        documents = [d.decode() for d in documents]
    encode = make_encoder(program, ranks, scheme, hf)
    half = len(documents) // 2
    parts = [documents[:half], documents[half:]]
    second_size = sum(map(len, parts[1])) if program == "gigatoken" else 0
    rates, count, second = [], 0, 0
    for _ in range(4 if program == "gigatoken" else 2):
        seconds, count = [], 0
        for part in parts:
            begin = time.process_time()
            counts = encode(part)
            seconds.append(time.process_time() - begin)
            count += int(sum(counts))
        rates.append(size / sum(seconds) / 1e6)
        second = second or second_size / seconds[1] / 1e6
    print(json.dumps([rates[0], statistics.median(rates[1:]), count, size, second]))


def run_peer(*arguments):
    result = subprocess.run([sys.executable, __file__, "--measure", *arguments], capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def run_ours(bench, tokenizer, pattern, text_file):
    line = subprocess.run([bench, tokenizer, pattern, text_file], capture_output=True, text=True, check=True).stdout
    found = re.search(r": ([\d.]+) MB/s .*first ([\d.]+), second half of it ([\d.]+), (\d+) tokens", line)
    return float(found.group(2)), float(found.group(1)), int(found.group(4)), float(found.group(3))


def ratio(ours, peer):
    return f"{ours / peer:.1f}x"


def main():
    has_all = sys.argv[1] != "--gigatoken-only"
    if not has_all:
        del sys.argv[1]
    split = sys.argv.index("--")
    bench, texts = sys.argv[1], sys.argv[2:split]
    print("| vocabulary, text | MB/s: token_bench | first pass | its second half | gigatoken | first pass | its second half | tiktoken "
          "| tokenizers | against gigatoken | first pass | its second half | against tiktoken |")
    print("|---" * 13 + "|")
    for argument in sys.argv[split + 1:]:
        name, ranks, scheme, hf = (argument + ":").split(":")[:4]
        for text in texts:
            first, rate, count, second = run_ours(bench, *((hf, "-") if hf else (ranks, scheme)), text)
            giga = run_peer("gigatoken", ranks, scheme, hf, text)
            tik = run_peer("tiktoken", ranks, scheme, hf, text) if has_all and ranks else None
            hugging = run_peer("tokenizers", ranks, scheme, hf, text) if has_all and hf else None
            note = " (gigatoken failed)" if not giga else "" if giga[2] == count else " (other token count)"
            cells = [f"{name}, {os.path.basename(text)}{note}", f"{rate:.0f}", f"{first:.0f}", f"{second:.0f}"]
            cells += [f"{giga[1]:.0f}", f"{giga[0]:.0f}", f"{giga[4]:.0f}"] if giga else ["-"] * 3
            cells += [f"{p[1]:.1f}" if p else "-" for p in (tik, hugging)]
            cells += [ratio(rate, giga[1]), ratio(first, giga[0]), ratio(second, giga[4])] if giga else ["-"] * 3
            cells.append(ratio(rate, tik[1]) if tik else "-")
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main()
