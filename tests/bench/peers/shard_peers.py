#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From JSON Lines to shards, beside pipelines of other programs that end with the same Megatron .bin and .idx.
Usage: shard_peers.py TOK_SHARD RANKS.tiktoken SCHEME EOS=ID CORPUS.jsonl [ROUNDS [THREADS [TOKENIZER.json]]]
  gigatoken   its own JSONL reader (whole result in memory), numpy writes: the fastest way there is in Python
  fast        as Megatron's preprocess_data_fast.py: json.loads of each line, encode_batch of 1000 documents, numpy writes
  tiktoken    the same loop with tiktoken, on the first 20 MB
  hf-pool     as Megatron's preprocess_data.py: a multiprocessing.Pool of THREADS, HF tokenizers document by document; first 20 MB
  hf-batch    as datatrove's DocumentTokenizer: encode_batch of 1000 documents with THREADS threads; first 20 MB
The last two are of TOKENIZER.json, the same vocabulary. THREADS (1) is also that of tok-shard and gigatoken.
Every run is a process of its own; prints CPU seconds (user and system), MB/s of the file and peak memory, medians of ROUNDS
(3), and whether tokens are the same in number. Needs gigatoken, awkward, tiktoken and numpy from PyPI."""
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

THREADS = int(os.environ.setdefault("RAYON_NUM_THREADS", sys.argv[7] if len(sys.argv) > 7 and sys.argv[1] != "--peer" else "1"))
TIKTOKEN_BYTES = 20_000_000
SLOW = ("tiktoken", "hf-pool", "hf-batch")
SCHEME_NAMES = {"gpt2": ("gpt2", "r50k_pat_str"), "cl100k": ("cl100k", None)}


def write_index(prefix, lengths, token_bytes):
    import numpy
    offsets = numpy.zeros(len(lengths), numpy.int64)
    numpy.cumsum(lengths[:-1] * token_bytes, out=offsets[1:])
    with open(prefix + ".idx", "wb") as out:
        out.write(b"MMIDIDX\x00\x00" + (1).to_bytes(8, "little") + (8 if token_bytes == 2 else 4).to_bytes(1, "little"))
        out.write(len(lengths).to_bytes(8, "little") + (len(lengths) + 1).to_bytes(8, "little"))
        out.write(lengths.astype(numpy.int32).tobytes() + offsets.tobytes())
        out.write(numpy.arange(len(lengths) + 1, dtype=numpy.int64).tobytes())


def append(out, ids, counts, eos, dtype):
    """Writes documents, each with its EOS. @return their lengths"""
    import numpy
    ends = numpy.cumsum(counts)
    out.write(numpy.insert(ids, ends, eos).astype(dtype).tobytes())
    return counts + 1


def run_gigatoken(ranks, scheme, eos, corpus, prefix, dtype, whole):
    import awkward
    import gigatoken
    import numpy
    tokenizer = gigatoken.Tokenizer.from_tiktoken(ranks, pretokenizer=SCHEME_NAMES[scheme][0])
    lengths = []
    with open(prefix + ".bin", "wb") as out:
        def take(result):
            flat = awkward.flatten(result)
            lengths.append(append(out, numpy.asarray(flat), awkward.num(result, axis=1).to_numpy(), eos, dtype))
        if whole:
            take(tokenizer.encode_files(gigatoken.JsonlFileSource([corpus]), parallel=THREADS > 1))
        else:
            with open(corpus, "rb") as lines:
                while batch := list(itertools.islice(lines, 1000)):
                    take(tokenizer.encode_batch([json.loads(line)["text"] for line in batch], parallel=THREADS > 1))
    return numpy.concatenate(lengths)


def run_tiktoken(ranks, scheme, eos, corpus, prefix, dtype):
    import numpy
    import tiktoken
    from token_peers import load_ranks
    from tiktoken_ext import openai_public
    encoding = tiktoken.Encoding("bench", pat_str=getattr(openai_public, SCHEME_NAMES[scheme][1]),
                                 mergeable_ranks=load_ranks(ranks), special_tokens={})
    lengths, size = [], 0
    with open(prefix + ".bin", "wb") as out, open(corpus, "rb") as lines:
        for line in lines:
            ids = encoding.encode_ordinary(json.loads(line)["text"])
            out.write(numpy.array(ids + [eos], dtype).tobytes())
            lengths.append(len(ids) + 1)
            size += len(line)
            if size > TIKTOKEN_BYTES:
                break
    return numpy.array(lengths)


def first_lines(corpus):
    size = 0
    with open(corpus, "rb") as lines:
        for line in lines:
            yield line
            size += len(line)
            if size > TIKTOKEN_BYTES:
                return


def start_pool_worker(path):
    import tokenizers
    global hf_tokenizer
    hf_tokenizer = tokenizers.Tokenizer.from_file(path)


def encode_line(line):
    return hf_tokenizer.encode(json.loads(line)["text"], add_special_tokens=False).ids


def run_hf(program, path, eos, corpus, prefix, dtype):
    import numpy
    lengths = []
    with open(prefix + ".bin", "wb") as out:
        def take(ids):
            out.write(numpy.array(ids + [eos], dtype).tobytes())
            lengths.append(len(ids) + 1)
        if program == "hf-pool":
            import multiprocessing
            with multiprocessing.Pool(THREADS, start_pool_worker, (path,)) as pool:
                for ids in pool.imap(encode_line, first_lines(corpus), 32):
                    take(ids)
                pool.close()
                pool.join()
        else:
            start_pool_worker(path)
            lines = first_lines(corpus)
            while batch := list(itertools.islice(lines, 1000)):
                texts = [json.loads(line)["text"] for line in batch]
                for encoding in hf_tokenizer.encode_batch(texts, add_special_tokens=False):
                    take(encoding.ids)
    return numpy.array(lengths)


def peer(program, ranks, scheme, eos, corpus, folder):
    import numpy
    dtype = numpy.uint16 if os.path.getsize(ranks) < 1_000_000 else numpy.int32
    prefix = os.path.join(folder, "tokens")
    if program.startswith("hf-"):
        lengths = run_hf(program, os.environ["SHARD_PEERS_TOKENIZER"], eos, corpus, prefix, dtype)
    elif program == "tiktoken":
        lengths = run_tiktoken(ranks, scheme, eos, corpus, prefix, dtype)
    else:
        lengths = run_gigatoken(ranks, scheme, eos, corpus, prefix, dtype, program == "gigatoken")
    write_index(prefix, lengths, numpy.dtype(dtype).itemsize)
    print(int(lengths.sum()), len(lengths))


def timed(command):
    """@return CPU seconds, peak MB, standard output"""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"failed: {command}")
        out.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read()


def measure(name, make_command, size, rounds):
    runs = []
    for _ in range(rounds):
        folder = tempfile.mkdtemp(prefix="shard_peers.")
        try:
            runs.append(timed(make_command(folder)))
            if name.startswith("tok-shard"):
                stats = subprocess.run([sys.argv[1], "stats", "--json", folder], capture_output=True, text=True, check=True)
                runs[-1] = runs[-1][:2] + (str(json.loads(stats.stdout)["tokens"]),)
        finally:
            shutil.rmtree(folder)
    cpu = statistics.median(run[0] for run in runs)
    print(f"| {name} | {cpu:.2f} | {size / cpu / 1e6:.0f} | {runs[0][1]:.0f} | {runs[0][2].split()[0]} |", flush=True)


def main():
    tok_shard, ranks, scheme, special, corpus = sys.argv[1:6]
    rounds = int(sys.argv[6]) if len(sys.argv) > 6 else 3
    eos = special.rsplit("=", 1)[1]
    size = os.path.getsize(corpus)
    hf = ()
    if len(sys.argv) > 8:
        os.environ["SHARD_PEERS_TOKENIZER"], hf = sys.argv[8], ("hf-pool", "hf-batch")
    print("| program | CPU s | MB/s of the file | peak MB | tokens |\n|---|---|---|---|---|")
    for form in ("megatron", "hdf5"):
        measure(f"tok-shard, {form}", lambda folder: [
            tok_shard, "-q", "-t", ranks, "--pattern", scheme, "--special", special, "--threads", str(THREADS), "--format", form, "-o",
            folder, corpus], size, rounds)
    for program in ("gigatoken", "fast") + (("tiktoken",) if SCHEME_NAMES[scheme][1] else ()) + hf:
        measure(program, lambda folder: [sys.executable, __file__, "--peer", program, ranks, scheme, eos, corpus, folder],
                min(size, TIKTOKEN_BYTES) if program in SLOW else size, 1 if program in SLOW else rounds)


if __name__ == "__main__":
    if sys.argv[1] == "--peer":
        peer(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), *sys.argv[6:])
    else:
        main()
