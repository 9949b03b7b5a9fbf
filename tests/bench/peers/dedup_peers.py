#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""dedup-minhash beside its peers from PyPI: whole runs, on one core, from the same zstd JSON lines.

    python3 dedup_peers.py path/to/dedup-minhash CORPUS.jsonl.zst...      (tests/bench/make_corpus.py makes them)

    pip install datasketch rensa datatrove spacy tokenizers orjson text-dedup 'xxhash<3.6'

Each program runs in a process of its own on one core (taskset), ROUNDS times (default 3); printed are medians of
CPU seconds and of MB of text for each, the peak resident memory, and how many documents go:
  dedup-minhash  --threads 1, everything: reading zstd, two passes, verification; once with a removal list, once with
                 the documents written as zstd (what the ratios are against)
  datasketch     MinHash(112) of the set of 5-word shingles + MinHashLSH(14 x 8), query, then insert
  rensa          RMinHash(112) of the same shingles + RMinHashLSH. From 0.5 on it hashes a sample of the shingles
                 of a document only (rho sampling), so it is not the same work
  text-dedup     its minhash command, 14 x 8, 5-grams, on lines that were unpacked before
  datatrove      its four stages with one task: MinhashDedupSignature, -Buckets, -Cluster, -Filter, JSON lines out
Texts are read before the clock starts for datasketch and rensa, which are libraries. dedup-minhash reads all files;
a peer documents of the first file, evenly, of so many megabytes that it ends in minutes: LIMITS below. Their rates do
not rise with more documents.
"""
import io
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LIMITS = {"rensa": 96, "datasketch": 12, "text-dedup": 6, "datatrove": 4}  # MB of text
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def texts_of(path, megabytes):
    """Documents of the file, evenly, of so many MB in all."""
    with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as process:
        texts = [json.loads(line)["text"] for line in io.TextIOWrapper(process.stdout, encoding="utf-8", newline="\n")]
    total = sum(len(t.encode()) for t in texts) / 1e6
    texts = texts[::max(1, round(total / megabytes))]
    return texts, sum(len(t.encode()) for t in texts) / 1e6


def shingles(text):
    words = re.sub(r"[^\w]+", " ", text.lower()).split()
    return [" ".join(words[i:i + 5]) for i in range(len(words) - 4)]


def datasketch(texts, _folder):
    from datasketch import MinHash, MinHashLSH
    index, removed = MinHashLSH(num_perm=112, params=(14, 8)), 0
    for number, text in enumerate(texts):
        sketch = MinHash(num_perm=112)
        sketch.update_batch([s.encode() for s in set(shingles(text))])
        if index.query(sketch):
            removed += 1
        else:
            index.insert(number, sketch)
    return removed


def rensa(texts, _folder):
    from rensa import RMinHash, RMinHashLSH
    index, removed = RMinHashLSH(threshold=0.75, num_perm=112, num_bands=14), 0
    for number, text in enumerate(texts):
        sketch = RMinHash(num_perm=112, seed=1)
        sketch.update(shingles(text))
        if index.query(sketch):
            removed += 1
        else:
            index.insert(number, sketch)
    return removed


def write_lines(texts, folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "in.jsonl"), "w", encoding="utf-8") as out:
        for text in texts:
            out.write(json.dumps({"text": text}) + "\n")


def text_dedup(texts, folder):
    write_lines(texts, folder + "/in")
    subprocess.run([sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files",
                    folder + "/in/in.jsonl", "--split", "train", "--cache_dir", folder + "/cache", "--output",
                    folder + "/out", "--column", "text", "--num_perm", "112", "--b", "14", "--r", "8", "--ngram", "5",
                    "--num_proc", "1", "--batch_size", "1000"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    import datasets
    return len(texts) - len(datasets.load_from_disk(folder + "/out"))


def datatrove(texts, folder):
    from datatrove.executor.local import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter,
                                          MinhashDedupSignature)
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    write_lines(texts, folder + "/in")
    config = MinhashConfig()
    reader = JsonlReader(folder + "/in")
    stages = [
        ([reader, MinhashDedupSignature(folder + "/signatures", config=config)], 1),
        ([MinhashDedupBuckets(folder + "/signatures", folder + "/buckets", config=config)], config.num_buckets),
        ([MinhashDedupCluster(folder + "/buckets", folder + "/clusters", config=config)], 1),
        ([reader, MinhashDedupFilter(folder + "/clusters"), JsonlWriter(folder + "/out", compression=None)], 1),
    ]
    for number, (pipeline, tasks) in enumerate(stages):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=f"{folder}/log{number}").run()
    with open(folder + "/out/00000.jsonl", encoding="utf-8") as kept:
        return len(texts) - sum(1 for _ in kept)


PEERS = {"datasketch": datasketch, "rensa": rensa, "text-dedup": text_dedup, "datatrove": datatrove}


def cpu():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def run_peer(name, path):
    """In a process of its own: prints one JSON object."""
    texts, megabytes = texts_of(path, LIMITS[name])
    folder = tempfile.mkdtemp()
    sys.stdout = io.StringIO()
    start, began = cpu(), time.monotonic()
    removed = PEERS[name](texts, folder + "/work")
    seconds, wall = cpu() - start, time.monotonic() - began
    sys.stdout = sys.__stdout__
    shutil.rmtree(folder)
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"cpu": seconds, "wall": wall, "mb": megabytes, "rss": peak / 1024, "documents": len(texts),
                      "removed": removed}))


def run_ours(program, paths, writes):
    """Once as it is timed, and once with a report, which tells of the stages."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = ["-o", folder + "/out"] if writes else ["--removal-list", folder + "/list.jsonl"]
        command = ["taskset", "-c", "1", program, "--threads", "1", "--no-progress", "--force", *outputs]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        subprocess.run([*command, *paths], check=True, stderr=subprocess.DEVNULL)
        wall = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--report", folder + "/report.json", *paths], check=True, stderr=subprocess.DEVNULL)
        with open(folder + "/report.json", encoding="utf-8") as file:
            result = json.load(file)
    total, stages = result["total"], result["stages"]
    return {"cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall": wall,
            "mb": total["text_bytes"] / 1e6, "rss": max(s["peak_rss_bytes"] for s in stages) / 2**20,
            "documents": total["documents_in"], "removed": total["documents_in"] - total["documents_kept"],
            "stages": {s["stage"]: s["cpu_s"] for s in stages if s["stage"] != "survey"}}


def show(name, rounds, base):
    rates = [r["mb"] / r["cpu"] for r in rounds]
    rate, last = statistics.median(rates), rounds[-1]
    faster = f"{base / rate:7.1f}x" if base else "        "
    print(f"| {name:34s} | {last['mb']:7.1f} | {rate:8.2f} | {min(rates):.2f} to {max(rates):.2f} | "
          f"{statistics.median(r['cpu'] / r['wall'] for r in rounds) * 100:3.0f} % | {last['rss']:6.0f} | "
          f"{last['removed']} of {last['documents']} | {faster} |", flush=True)
    if "stages" in last:
        parts = {k: round(statistics.median(last["mb"] / r["stages"][k] for r in rounds))
                 for k in last["stages"] if last["stages"][k] > 0}
        print(f"    MB of text for each CPU second of a stage: {parts}", flush=True)
    return rate


def main():
    if sys.argv[1] == "--peer":
        run_peer(sys.argv[2], sys.argv[3])
        return
    program, paths = sys.argv[1], sys.argv[2:]
    print("| program | MB of text | MB for each CPU second, median | range | CPU of wall | peak MiB | removed | slower by |")
    show("dedup-minhash, removal list", [run_ours(program, paths, False) for _ in range(ROUNDS)], None)
    base = show("dedup-minhash, whole run", [run_ours(program, paths, True) for _ in range(ROUNDS)], None)
    for name in LIMITS:
        rounds = []
        for _ in range(ROUNDS):
            child = subprocess.run(["taskset", "-c", "1", sys.executable, __file__, "--peer", name, paths[0]],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            if child.returncode != 0:
                print(f"{name}: left out: {child.stderr.strip().splitlines()[-1:]}")
                break
            rounds.append(json.loads(child.stdout.splitlines()[-1]))
        if rounds:
            show(name, rounds, base)


main()
