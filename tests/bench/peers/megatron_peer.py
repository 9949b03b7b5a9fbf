#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `tok-shard --format megatron` with Megatron-LM's own programs, byte for byte.

    python megatron_peer.py TOK_SHARD MEGATRON_LM VOCABULARIES CORPUS.jsonl [DOCUMENTS] [CASE...]

MEGATRON_LM is a checkout of github.com/NVIDIA/Megatron-LM; it and this script need Python 3.12, torch, transformers,
sentencepiece, gigatoken and awkward. VOCABULARIES holds the folders named in CASES. CORPUS has documents {"text": ...}
(token_corpus.py), of which every n-th is taken until there are DOCUMENTS (3000); the script adds a second text of each, documents
without text, of white space, and with control tokens.

- tools/preprocess_data.py with and without --append-eod, two --json-keys, two workers, two partitions;
- tools/preprocess_data_fast.py (gigatoken): `--empty keep`;
- tools/merge_datasets.py over the shards of many units: `convert`;
- `convert` and `cat` of what preprocess_data.py has written.

Exits 1 when anything differs. Nothing is fetched: a name such as "gpt2" is a folder in the work folder here.
"""
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile

# name: Megatron's tokenizer, folder below VOCABULARIES, its file, text of EOD, tok-shard's options, whether an empty text has tokens
CASES = {
    "gpt2-bpe": ("GPT2BPETokenizer", "vm_gpt2", "vocab.json", "<|endoftext|>",
                 ["--pattern", "gpt2", "--special", "<|endoftext|>=50256", "--special-text", "parse"], False),
    "gpt2": ("HuggingFaceTokenizer", "hf_gpt2", "tokenizer.json", "<|endoftext|>", ["--special-text", "parse"], False),
    "gpt-neox": ("HuggingFaceTokenizer", "hf_gpt_neox", "tokenizer.json", "<|endoftext|>", ["--special-text", "parse"], False),
    "qwen3": ("HuggingFaceTokenizer", "hf_qwen3", "tokenizer.json", "<|endoftext|>", ["--special-text", "parse"], False),
    "llama2": ("HuggingFaceTokenizer", "hf_llama2", "tokenizer.json", "</s>", ["--special-text", "parse"], True),
    "llama2-spm": ("SentencePieceTokenizer", "sp_llama2", "llama2.model", "</s>", ["--bos", "none"], False),
}
FAST = ("gpt2", "qwen3")
SPECIAL_TEXTS = ["", " ", "\n\n", "a<|endoftext|>b", "<|endoftext|>", " </s> x", "<s>", "[INST] <<SYS>>", "\u00a0\u3000", "\0"]


def check(condition, what):
    print("ok  " if condition else "FAIL", what, flush=True)
    check.failed |= not condition


check.failed = False


def same(ours, theirs, what):
    equal = all(filecmp.cmp(f"{ours}.{e}", f"{theirs}.{e}", shallow=False) for e in ("bin", "idx"))
    check(equal, f"{what} ({os.path.getsize(theirs + '.bin')} bytes of ids)")


def write_corpus(source, path, count):
    """@return the number of documents"""
    with open(source, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for number, line in enumerate(lines) if number % 17 == 0 and number < 17 * count]
    for place, text in enumerate(SPECIAL_TEXTS):
        texts.insert(place * len(texts) // len(SPECIAL_TEXTS), text)
    texts += ["", "the last one, then two without text", "", ""]
    with open(path, "w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"title": f"{number}: {text[:40]}" if number % 3 else "", "text": text},
                                 ensure_ascii=number % 2 == 0) + "\n")
    return len(texts)


class Megatron:
    """Its programs, each in a process of its own."""

    def __init__(self, checkout, folder):
        self.checkout, self.folder = checkout, folder
        self.environment = {**os.environ, "PYTHONPATH": checkout, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
                            "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}

    def run(self, program, *arguments):
        command = [sys.executable, "-W", "ignore", f"{self.checkout}/tools/{program}", *arguments]
        done = subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}:\n{done.stderr[-3000:]}")

    def tokenizer(self, case, vocabularies):
        """@return options that name the tokenizer, after its files were laid out as Megatron wants them"""
        kind, vocabulary, file, eod, _, _ = CASES[case]
        source = os.path.join(vocabularies, vocabulary)
        if kind == "SentencePieceTokenizer":
            return ["--tokenizer-type", kind, "--tokenizer-model", f"{source}/{file}"]
        target = os.path.join(self.folder, "gpt2" if kind == "GPT2BPETokenizer" else f"tokenizer-{case}")
        os.makedirs(target)
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": eod}
        if kind == "GPT2BPETokenizer":
            config["tokenizer_class"] = "GPT2Tokenizer"
            for name in ("vocab.json", "merges.txt"):
                shutil.copy(f"{source}/{name}", target)
        else:
            shutil.copy(f"{source}/{file}", target)
        with open(f"{target}/tokenizer_config.json", "w", encoding="utf-8") as out:
            json.dump(config, out)
        with open(f"{target}/config.json", "w", encoding="utf-8") as out:
            json.dump({"model_type": "gpt2"}, out)
        if kind == "GPT2BPETokenizer":
            return ["--tokenizer-type", kind, "--vocab-file", f"{target}/vocab.json", "--merge-file", f"{target}/merges.txt"]
        return ["--tokenizer-type", kind, "--tokenizer-model", target]


def check_case(case, tok_shard, megatron, vocabularies, corpus):
    _, vocabulary, file, eod, options, bos = CASES[case]
    tokenizer = megatron.tokenizer(case, vocabularies)
    folder = os.path.join(megatron.folder, f"case-{case}")
    os.makedirs(folder)

    def ours(name, *words, empty="keep" if bos else "bare", ending=eod):
        subprocess.run([tok_shard, "-q", "-t", f"{vocabularies}/{vocabulary}/{file}", *options, "--eos", ending, "--empty", empty,
                        "--format", "megatron", "-o", f"{folder}/{name}", *words, corpus], check=True)
        return f"{folder}/{name}/shard-00000-000"

    common = ["--input", corpus, *tokenizer]
    megatron.run("preprocess_data.py", *common, "--output-prefix", f"{folder}/eod", "--append-eod", "--json-keys", "text", "title",
                 "--workers", "2")
    same(ours("eod_text"), f"{folder}/eod_text_document", f"{case}: preprocess_data.py --append-eod, text")
    same(ours("eod_title", "--text-field", "title"), f"{folder}/eod_title_document", f"{case}: the same run, title")
    megatron.run("preprocess_data.py", *common, "--output-prefix", f"{folder}/bare", "--workers", "1")
    same(ours("bare", ending="none"), f"{folder}/bare_text_document", f"{case}: without --append-eod")
    if case in FAST:
        megatron.run("preprocess_data_fast.py", *common, "--output-prefix", f"{folder}/fast", "--append-eod", "--use-gigatoken")
        same(ours("fast", empty="keep"), f"{folder}/fast_text_document", f"{case}: preprocess_data_fast.py --append-eod")
    if case == "gpt2":
        megatron.run("preprocess_data.py", *common, "--output-prefix", f"{folder}/parts", "--append-eod", "--workers", "2",
                     "--partitions", "2", "--keep-sequential-samples")
        same(f"{folder}/eod_text/shard-00000-000", f"{folder}/parts_text_document", f"{case}: --partitions 2")
    check_merge(case, tok_shard, megatron, folder, lambda *words: ours("units", *words))
    check_foreign(case, tok_shard, folder, f"{vocabularies}/{vocabulary}/{file}", options)
    shutil.rmtree(folder)


def check_merge(case, tok_shard, megatron, folder, encode):
    encode("--unit-size", "1MiB", "--shard-tokens", "100000")
    os.makedirs(f"{folder}/sets")
    shards = [n for n in sorted(os.listdir(f"{folder}/units")) if n.endswith((".bin", ".idx"))]
    for name in shards:
        shutil.copy(f"{folder}/units/{name}", f"{folder}/sets/{name}")
    megatron.run("merge_datasets.py", "--input", f"{folder}/sets", "--output-prefix", f"{folder}/merged_sets")
    subprocess.run([tok_shard, "convert", "-q", f"{folder}/units", "-o", f"{folder}/merged", "--format", "megatron"], check=True)
    same(f"{folder}/merged/tokens", f"{folder}/merged_sets", f"{case}: convert is merge_datasets.py, {len(shards) // 2} sets")
    same(f"{folder}/merged/tokens", f"{folder}/eod_text_document", f"{case}: and preprocess_data.py")


def check_foreign(case, tok_shard, folder, tokenizer, options):
    pattern = options[:4] if options[0] == "--pattern" else []
    prefix = f"{folder}/eod_text_document"
    subprocess.run([tok_shard, "convert", "-q", prefix, "-o", f"{folder}/again", "--format", "megatron", "-t", tokenizer, *pattern],
                   check=True)
    same(f"{folder}/again/tokens", prefix, f"{case}: convert of preprocess_data.py's output")
    printed = [subprocess.run([tok_shard, "cat", path], check=True, capture_output=True).stdout
               for path in (prefix, f"{folder}/eod_text")]
    check(printed[0] == printed[1], f"{case}: cat of preprocess_data.py's output")


def main():
    tok_shard, checkout, vocabularies, source = (os.path.abspath(path) for path in sys.argv[1:5])
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 3000
    with tempfile.TemporaryDirectory() as folder:
        megatron = Megatron(checkout, folder)
        corpus = f"{folder}/corpus.jsonl"
        print(f"{write_corpus(source, corpus, count)} documents, {os.path.getsize(corpus)} bytes of JSON Lines", flush=True)
        for case in sys.argv[6:] or CASES:
            check_case(case, tok_shard, megatron, vocabularies, corpus)
    sys.exit(check.failed)


if __name__ == "__main__":
    main()
