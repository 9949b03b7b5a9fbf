#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tokenizers and expected ids of tests/data/token with the real libraries:
tokenizers 0.23.2, tiktoken 0.14.0, unicodedata2 16.0.0, zstandard. Usage: make_reference.py OUT_DIR

documents.zst            test documents, each ended by a NUL
hf_NAME.json             tokenizers trained here by HF tokenizers on those documents
ranks.tiktoken           a rank file made from hf_gpt2.json
NAME.plain.zst, NAME.parse.zst   ids, one line a document: special tokens as text, or parsed
"""
import base64
import json
import pathlib
import random
import sys

import tiktoken
import tokenizers
import unicodedata2 as ud
import zstandard
from tiktoken_ext import openai_public
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers, processors, trainers

OUT = pathlib.Path(sys.argv[1])
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{ENDING}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*"
         rf"{ENDING}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CL100K = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
          r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s")
TIKTOKEN = {"gpt2": openai_public.r50k_pat_str, "cl100k": CL100K, "o200k": O200K,
            "llama3": LLAMA3, "qwen2": QWEN2}
FRAGMENTS = """'s 'S 'ſ 'll 'LL 're 'VE 'd 'M 't don't it's I'M HELLO'SWORLD helloWORLDFoo 12345 3.14
a/b//\n/c !! ... foo_bar CamelCase ABCdef http://x.y/z?a=b&c=d <|endoftext|> <|im_start|> <tag> 中文测试
日本語テキスト 한국어 ไทย हिन्दी عربي русский Ελληνικά 😀👨‍👩‍👧 ǅ ʰ Ⅷ ² ½ १२ café 한글 the and
of to in that for with this which from have not are was one all their there been more will""".split(" ")
SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and then it's gone; we'll see it in 2026.",
    "int main(int argc, char** argv) {\n    return argc > 1 ? 0 : 1;  // done\n}\n",
    "Всё счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.",
    "子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？」", "吾輩は猫である。名前はまだ無い。",
    "모든 국민은 인간으로서의 존엄과 가치를 가진다.", "सत्यमेव जयते नानृतम्", "في البدء كان الكلمة",
    "x = [1, 22, 333, 4444];\ty += x[0]\r\n\r\n  # comment\n\n\n\tif y:\n        pass",
]


def make_documents(count=260):
    rng = random.Random(20260101)
    by_category = {}
    for cp in range(1, 0x110000):
        if not 0xD800 <= cp < 0xE000:
            by_category.setdefault(ud.category(chr(cp)), []).append(cp)
    categories = sorted(set(by_category) - {"Cn", "Co"})
    white = [9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x2029, 0x202F, 0x3000]
    near = [0x180E, 0x200B, 0xFEFF, 0x1C, 0x1F, 0x17F, 0x212A, 0x200D, 0x2019, 0x301, 0xE000]
    documents = ["", " ", "\n", "'", "  'S", "a", " \n ", "\t\t", "x" * 5000, " " * 3000,
                 "ab" * 2000, "\n" * 999, "é" * 1000, "1" * 1001] + SENTENCES
    while len(documents) < count:
        parts = []
        for _ in range(rng.randint(1, 24)):
            kind = rng.random()
            if kind < 0.3:
                parts.append(rng.choice(FRAGMENTS))
            elif kind < 0.4:
                parts.append(rng.choice(SENTENCES)[:rng.randint(1, 60)])
            elif kind < 0.6:
                parts.append(chr(rng.choice(white)) * rng.choice([1, 1, 1, 2, 3]))
            elif kind < 0.65:
                parts.append(chr(rng.choice(near)))
            elif kind < 0.8:
                parts.append("".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 6))))
            else:
                parts.append("".join(chr(rng.choice(by_category[rng.choice(categories)]))
                                     for _ in range(rng.randint(1, 3))))
        documents.append("".join(parts))
    return documents


def write(name, text):
    compressor = zstandard.ZstdCompressor(level=19, write_content_size=True)
    (OUT / name).write_bytes(compressor.compress(text.encode("utf-8", "surrogatepass")))


def write_ids(name, lists):
    write(name, "".join(" ".join(map(str, ids)) + "\n" for ids in lists))


def train(documents, pre_tokenizer, normalizer=None, ignore_merges=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=["<|endoftext|>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                  show_progress=False)
    tokenizer.train_from_iterator(documents, trainer)
    return tokenizer


def split(pattern, behavior="isolated", invert=False, prefix=False):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), behavior, invert),
        pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=False)])


def hf_tokenizers(documents):
    gpt2 = train(documents, pre_tokenizers.ByteLevel(add_prefix_space=False))
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    yield "gpt2", gpt2
    llama3 = train(documents, split(LLAMA3), ignore_merges=True)
    llama3.add_special_tokens(["<|im_start|>"])
    start = llama3.token_to_id("<|im_start|>")
    llama3.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|im_start|> $A", pair="<|im_start|> $A $B",
                                      special_tokens=[("<|im_start|>", start)])])
    yield "llama3", llama3
    qwen2 = train(documents, split(QWEN2), normalizer=normalizers.NFC())
    qwen2.add_tokens([AddedToken("CamelCase", single_word=True), AddedToken("é", normalized=True),
                      AddedToken("中文", lstrip=True, rstrip=True),
                      AddedToken("foo", normalized=False, lstrip=True)])
    qwen2.add_special_tokens([AddedToken("<|im_start|>", rstrip=True, lstrip=True)])
    yield "qwen2", qwen2
    yield "o200k", train(documents, split(O200K, "removed", True))
    yield "prefix", train(documents, pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True),
         pre_tokenizers.ByteLevel(add_prefix_space=True)]))
    yield "general", train(documents, split(r"[\p{Han}]+|\w+?\b|[^\w\s]{1,2}".replace(r"\b", ""),
                                            "merged_with_previous"))


def main():
    documents = make_documents()
    write("documents.zst", "".join(d.replace("\0", "") + "\0" for d in documents))
    documents = [d.replace("\0", "") for d in documents]
    for name, tokenizer in hf_tokenizers(documents):
        path = OUT / f"hf_{name}.json"
        tokenizer.save(str(path), pretty=False)
        if name == "gpt2":  # the older way to write merges
            data = json.loads(path.read_text())
            data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
            path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        tokenizer = Tokenizer.from_file(str(path))
        for mode in ("parse", "plain"):
            tokenizer.encode_special_tokens = mode == "plain"
            encoded = tokenizer.encode_batch(documents, add_special_tokens=False)
            write_ids(f"hf_{name}.{mode}.zst", [e.ids for e in encoded])
    data = json.loads((OUT / "hf_gpt2.json").read_text())
    to_byte = {c: b for b, c in zip(tiktoken_bytes(), tiktoken_chars())}
    tokens = sorted((i, t) for t, i in data["model"]["vocab"].items() if t != "<|endoftext|>")
    ranks = {bytes(to_byte[c] for c in t): rank for rank, (_, t) in enumerate(tokens)}
    (OUT / "ranks.tiktoken").write_bytes(b"".join(
        base64.b64encode(t) + b" %d\n" % r for t, r in ranks.items()))
    specials = {"<|endoftext|>": len(ranks), "<|im_start|>": len(ranks) + 5}
    for name, pattern in TIKTOKEN.items():
        encoding = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks,
                                     special_tokens=specials)
        write_ids(f"tiktoken_{name}.plain.zst", [encoding.encode_ordinary(d) for d in documents])
        write_ids(f"tiktoken_{name}.parse.zst",
                  [encoding.encode(d, allowed_special="all") for d in documents])


def tiktoken_bytes():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return own + [b for b in range(256) if b not in own]


def tiktoken_chars():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in own] + [chr(256 + i) for i in range(256 - len(own))]


if __name__ == "__main__":
    assert tokenizers.__version__ == "0.23.2" and tiktoken.__version__ == "0.14.0"
    main()
