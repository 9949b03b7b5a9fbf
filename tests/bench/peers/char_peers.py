#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Encoding speed of models over characters (SentencePiece, WordPiece), one thread, text resident, beside the program that the file is
made for, and gigatoken where it reads the file.
Usage: char_peers.py TOKEN_BENCH TEXT... -- NAME:FILE...      FILE is a SentencePiece .model or a tokenizer.json
As token_peers.py: documents of about 4 KB, CPU seconds without loading. Ours and gigatoken: first pass and median of the
passes that follow; sentencepiece and tokenizers, which cache little, get 2 MB, spread over the text, twice, and their counts of
tokens are compared with ours of the same 2 MB. Needs gigatoken, sentencepiece and tokenizers from PyPI."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import token_peers


def make_encoder(program, file):
    if program == "gigatoken":
        return token_peers.make_encoder(program, "", "", file)
    if program == "tokenizers":
        return token_peers.make_encoder(program, "", "", file)
    import sentencepiece
    processor = sentencepiece.SentencePieceProcessor(model_file=file)
    return lambda documents: [len(processor.encode(d)) for d in documents]


def measure(program, file, text_file):
    documents = token_peers.cut(open(text_file, "rb").read())
    size = sum(map(len, documents))
    if program != "gigatoken":
        documents = [d.decode() for d in documents]
    encode = make_encoder(program, file)
    rates, count = [], 0
    for _ in range(4 if program == "gigatoken" else 2):
        begin = time.process_time()
        counts = encode(documents)
        rates.append(size / (time.process_time() - begin) / 1e6)
        count = int(sum(counts))
    print(json.dumps([rates[0], statistics.median(rates[1:]), count]))


def run_peer(*arguments):
    result = subprocess.run([sys.executable, __file__, "--measure", *arguments], capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def sample_of(text_file, folder):
    """2 MB in whole documents, spread over the text."""
    documents = token_peers.cut(open(text_file, "rb").read().decode("utf-8", "replace").encode())
    step = max(1, sum(map(len, documents)) // 2_000_000)
    path = os.path.join(folder, os.path.basename(text_file))
    with open(path, "wb") as out:
        out.write(b"".join(documents[::step]))
    return path


def row(bench, folder, name, file, text):
    sample = sample_of(text, folder)
    first, rate, count, _ = token_peers.run_ours(bench, file, "-", text)
    sample_count = token_peers.run_ours(bench, file, "-", sample)[2]
    peer = run_peer("sentencepiece" if file.endswith(".model") else "tokenizers", file, sample)
    giga = None if file.endswith(".model") else run_peer("gigatoken", file, text)
    cells = [f"{name}, {os.path.basename(text)}", f"{rate:.0f}", f"{first:.0f}"]
    cells.append(f"{peer[1]:.1f}" + ("" if peer[2] == sample_count else " (other token count)"))
    cells.append(token_peers.ratio(rate, peer[1]))
    if giga:
        cells.append(f"{giga[1]:.0f} / {giga[0]:.0f}" + ("" if giga[2] == count else " (other token count)"))
        cells.append(f"{rate / giga[1]:.1f}x / {first / giga[0]:.1f}x")
    else:
        cells += ["-", "-"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    split = sys.argv.index("--")
    bench, texts = sys.argv[1], sys.argv[2:split]
    print("| file, text | MB/s: token_bench | first pass | its own program | against it | gigatoken, again / first | against gigatoken |")
    print("|---" * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for argument in sys.argv[split + 1:]:
            name, file = argument.split(":")
            for text in texts:
                row(bench, folder, name, file, text)


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main()
