#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares ids with the real HF tokenizers, tiktoken and sentencepiece, document by document.

    python3 token_parity.py TOKEN_IDS VOCABULARY CORPUS.jsonl MEGABYTES [--general] [--skip MB] [--log FILE] [--state FILE]

TOKEN_IDS is the program tests/bench/token_ids. VOCABULARY is a folder with meta.json:
    {"oracle": "tokenizers" | "tiktoken" | "sentencepiece", "file": ...,
     for tiktoken also "pattern": a name of PATTERNS below, "specials": {text: id}}
CORPUS has documents {"text": ...}; token_corpus.py makes one. Every document is encoded with special tokens as text, and
those that contain one also with special tokens parsed, where the oracle can. A document that differs is shrunk to the shortest text that still
differs; the first five are shown. Exit code 1 when any differs. --log appends one line of JSON with what was compared.
With --state a run that was ended continues where the last one wrote that file (every 20 MB); MEGABYTES counts all of them together.
One core: the oracles' own threads are switched off.
"""
import argparse
import base64
import json
import os
import struct
import subprocess
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy  # noqa: E402

BATCH = 2_000_000
SHOWN = 5
STATE_STEP = 20_000_000
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def words(ending, but=""):
    """Words that a capital begins. @param but an intersection that takes characters out of both classes"""
    upper, lower = rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{but}]", rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{but}]"
    start = r"[^\r\n\p{L}\p{N}]?"
    return f"{start}{upper}*{lower}+{ending}|{start}{upper}+{lower}*{ending}"


PATTERNS = {  # the regular expressions behind the names of tok-shard's --pattern, as tiktoken's users write them
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
               r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"),
    "o200k": words(ENDING) + r"|\p{N}{1,3}" + REST,
    "llama3": LLAMA3,
    "qwen2": LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}"),
    "qwen35": LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}").replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(
        r" ?[^\s\p{L}\p{N}]+", r" ?[^\s\p{L}\p{M}\p{N}]+"),
    "tekken": words("") + r"|\p{N}" + REST,
    "kimi-k2": r"[\p{Han}]+|" + words(ENDING, r"&&[^\p{Han}]") + r"|\p{N}{1,3}" + REST.replace("/", ""),
}


class Specials:
    """Texts of special tokens. Hundreds begin alike, so documents are searched for their beginnings first."""

    def __init__(self, texts):
        self.texts = list(texts)
        self.beginnings = {t[:3] for t in self.texts}

    def inside(self, document):
        return any(b in document for b in self.beginnings) and any(t in document for t in self.texts)


class Tokenizers:
    """tokenizer.json"""

    def __init__(self, path, _meta):
        import tokenizers
        self.name = "tokenizers " + tokenizers.__version__
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.modes = ("plain", "parse")
        self.specials = Specials(t.content for t in self.tokenizer.get_added_tokens_decoder().values() if t.special)

    def encode(self, mode, documents):
        self.tokenizer.encode_special_tokens = mode == "plain"
        return [e.ids for e in self.tokenizer.encode_batch_fast(documents, add_special_tokens=False)]


class Tiktoken:
    """Rank files."""

    def __init__(self, path, meta):
        import tiktoken
        self.name = "tiktoken " + tiktoken.__version__
        ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in open(path, "rb") if line.strip()}
        self.encoding = tiktoken.Encoding("parity", pat_str=PATTERNS[meta["pattern"]], mergeable_ranks=ranks,
                                          special_tokens=meta["specials"])
        self.modes = ("plain", "parse") if meta["specials"] else ("plain",)
        self.specials = Specials(meta["specials"])

    def encode(self, mode, documents):
        if mode == "plain":
            return [self.encoding.encode_ordinary(d) for d in documents]
        return [self.encoding.encode(d, allowed_special="all") for d in documents]


class Sentencepiece:
    """.model: control symbols in the text are never parsed, user-defined ones always."""

    def __init__(self, path, _meta):
        import sentencepiece
        self.name = "sentencepiece " + sentencepiece.__version__
        self.processor = sentencepiece.SentencePieceProcessor(model_file=path)
        self.modes = ("plain",)

    def encode(self, _mode, documents):
        return self.processor.encode(documents, num_threads=1)


class Ours:
    def __init__(self, program, path, meta, mode, way):
        specials = [f"{text}={number}" for text, number in meta.get("specials", {}).items()]
        self.process = subprocess.Popen([program, path, meta.get("pattern", "-"), mode, way, *specials],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def encode(self, documents):
        texts = [d.encode() for d in documents]
        try:
            self.process.stdin.write(struct.pack(f"{len(texts) + 1}I", len(texts), *map(len, texts)) + b"".join(texts))
            self.process.stdin.flush()
        except BrokenPipeError:
            sys.exit(f"token_ids ended early, exit code {self.process.wait()}")
        counts = self.numbers(1)
        counts = self.numbers(int(counts[0]))
        ids = self.numbers(int(counts.sum()))
        return counts, ids

    def numbers(self, count):
        data = self.process.stdout.read(4 * count)
        if len(data) != 4 * count:
            sys.exit(f"token_ids ended early, exit code {self.process.wait()}")
        return numpy.frombuffer(data, "uint32")

    def encode_one(self, document):
        return self.encode([document])[1].tolist()


def batches(path, limit, skip, at=0):
    """@param at an offset in the file, where a document begins  @return pairs: documents, their bytes, the offset behind them"""
    documents, size, total = [], 0, 0
    corpus = open(path, "rb")
    corpus.seek(at)
    for line in corpus:
        at += len(line)
        text = json.loads(line)["text"]
        length = len(text.encode())
        if skip > 0:
            skip -= length
            continue
        documents.append(text)
        size += length
        if size >= BATCH or total + size >= limit:
            yield documents, size, at
            total += size
            documents, size = [], 0
            if total >= limit:
                return
    if documents:
        yield documents, size, at


def shrink(text, differs):
    """Delta debugging: cuts out ever smaller parts while the rest still differs, for at most ten seconds."""
    part, end = max(len(text) // 2, 1), time.time() + 10
    while time.time() < end:
        at, cut = 0, False
        while at < len(text) and time.time() < end:
            shorter = text[:at] + text[at + part:]
            if shorter and differs(shorter):
                text, cut = shorter, True
            else:
                at += part
        if part == 1 and not cut:
            break
        part = max(part // 2, 1)
    return text


def compare(oracle, ours, mode, documents, shown):
    """@return the documents that differ; shows the first ones, shrunk."""
    expected = oracle.encode(mode, documents)
    counts, ids = ours.encode(documents)
    lengths = numpy.fromiter(map(len, expected), "uint32", len(expected))
    flat = numpy.fromiter((i for e in expected for i in e), "uint32", int(lengths.sum()))
    if numpy.array_equal(counts, lengths) and numpy.array_equal(ids, flat):
        return 0
    ends = numpy.cumsum(counts)
    wrong = [i for i, e in enumerate(expected) if ids[ends[i] - counts[i]:ends[i]].tolist() != e]
    for i in wrong[:max(SHOWN - shown, 0)]:
        text = shrink(documents[i], lambda t: oracle.encode(mode, [t])[0] != ours.encode_one(t))
        print(f"DIFFERS ({mode}) on {text[:500]!r}\n  oracle {oracle.encode(mode, [text])[0][:200]}\n  ours   "
              f"{ours.encode_one(text)[:200]}", flush=True)
    return len(wrong)


class Progress:
    """What was compared so far, in a file when there is one."""

    def __init__(self, path, about):
        self.path = path
        self.row = {**about, "bytes": 0, "documents": 0, "parsed": 0, "differ": {}, "seconds": 0, "at": 0}
        self.saved = 0
        if path and os.path.exists(path):
            self.row = json.load(open(path))
            self.saved = self.row["bytes"]
            if {key: self.row[key] for key in about} != about:
                sys.exit(f"{path} is of another comparison ({self.row}); remove it to begin again")

    def save(self, step=0):
        if not self.path or self.row["bytes"] < self.saved + step:
            return
        with open(self.path + ".new", "w") as file:
            json.dump(self.row, file)
        os.replace(self.path + ".new", self.path)
        self.saved = self.row["bytes"]


def run(options, oracle, ours, progress):
    row, begin = progress.row, time.time() - progress.row["seconds"]
    skip = 0 if row["at"] else options.skip * 1e6
    for documents, length, at in batches(options.corpus, options.megabytes * 1e6 - row["bytes"], skip, row["at"]):
        for mode in oracle.modes:
            some = documents if mode == "plain" else [d for d in documents if oracle.specials.inside(d)]
            row["parsed"] += len(some) if mode == "parse" else 0
            row["differ"][mode] = row["differ"].get(mode, 0) + compare(oracle, ours[mode], mode, some,
                                                                       sum(row["differ"].values()))
        row.update(bytes=row["bytes"] + length, documents=row["documents"] + len(documents), at=at,
                   seconds=round(time.time() - begin, 1))
        progress.save(STATE_STEP)
        if sum(row["differ"].values()) >= 200:
            print("too many differences, ended early")
            break
    progress.save()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("token_ids")
    parser.add_argument("vocabulary")
    parser.add_argument("corpus")
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--general", action="store_true", help="our general path instead of the fast one")
    parser.add_argument("--skip", type=float, default=0, metavar="MB", help="of the corpus, first")
    parser.add_argument("--log", metavar="FILE")
    parser.add_argument("--state", metavar="FILE", help="continue from here, and keep here what was done")
    options = parser.parse_args()
    meta = json.load(open(os.path.join(options.vocabulary, "meta.json")))
    path = os.path.join(options.vocabulary, meta["file"])
    oracle = {"tokenizers": Tokenizers, "tiktoken": Tiktoken, "sentencepiece": Sentencepiece}[meta["oracle"]](path, meta)
    way = "general" if options.general else "fast"
    progress = Progress(options.state, {
        "vocabulary": os.path.basename(os.path.normpath(options.vocabulary)), "oracle": oracle.name, "way": way,
        "skip": options.skip, "corpus": os.path.abspath(options.corpus)})
    if progress.row["bytes"] < options.megabytes * 1e6:
        ours = {mode: Ours(options.token_ids, path, meta, mode, way) for mode in oracle.modes}
        run(options, oracle, ours, progress)
    line = json.dumps(progress.row)
    print(line, flush=True)
    if options.log:
        with open(options.log, "a") as log:
            log.write(line + "\n")
    sys.exit(1 if any(progress.row["differ"].values()) else 0)


main()
