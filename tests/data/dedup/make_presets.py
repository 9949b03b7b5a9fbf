#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes presets.jsonl: texts, and the signatures that other programs give them; and jaccards.jsonl: pairs of texts, and the
Jaccard index of their sets of shingles (as strings) by preset.

A line: {"text", "signatures": [{"scheme", "ngram", "permutations", "first", "xxh3_128"}]}: the first values of a signature,
and the hash of all of them as little-endian numbers of 64 bits; null where the program makes none (or, for slimpajama and
bigcode, the same one for all such texts). The formulas are written again from these sources, with numpy,
hashlib, xxhash, regex and mmh3:
  slimpajama   Cerebras modelzoo f1fd1e0, slimpajama/dedup/to_hash.py; MinHash is datasketch 1.6.5 itself
  rpv2         RedPajama-Data 6d2cee9, app/src/dedupe and app/src/utilities/text; seed 42 of app/src/pipeline.py
  bigcode      bigcode-dataset bebec92, near_deduplication/minhash_deduplication.py
  text-dedup*  text-dedup 7538f3e, config/algorithms/minhash.py, utils/{hashfunc,tokenization}.py; seed 42
  datatrove*   datatrove 0.10.1, pipeline/dedup/minhash.py, with words between spaces and single characters of Han,
               kana, Thai, Lao, Khmer, Burmese and Tibetan in the place of its tokenizer
  nemo         NeMo Curator 1e2e4275e, fuzzy/minhash.py (draws) and cudf 24.12, cpp/src/text/minhash.cu (hashes)
Compared with the programs' own code: equal wherever a signature is written, but for nemo, which needs a GPU: there the values in cudf's own
test (cpp/tests/text/minhash_tests.cpp, MinHashTest.Permuted) are checked below. Python's Unicode data are older than ours,
so only characters of Unicode 14 are used.
Needs: pip install numpy datasketch==1.6.5 xxhash regex mmh3. Run by hand, once.
"""
import hashlib
import json
import os
import re
import string
import struct
import unicodedata

import datasketch
import mmh3
import numpy as np
import regex
import xxhash

assert datasketch.__version__.startswith("1."), "2.0 permutes differently"
PRIME61 = np.uint64((1 << 61) - 1)
LOW32 = np.uint64((1 << 32) - 1)
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def sha1(data, code="<I", size=4):
    return struct.unpack(code, hashlib.sha1(data).digest()[:size])[0]


def grams(words, n):
    return [" ".join(words[i:i + n]) for i in range(len(words) - n + 1)]


def pairs(seed, count, prime, dtype):
    random = np.random.RandomState(seed)
    drawn = [(random.randint(1, prime, dtype=dtype), random.randint(0, prime, dtype=dtype)) for _ in range(count)]
    return np.array(drawn, dtype=dtype).T


def arrays(seed, count, prime, dtype):
    random = np.random.RandomState(seed)
    a = random.randint(1, prime, size=(count,), dtype=dtype)
    return a, random.randint(0, prime, size=(count,), dtype=dtype)


def minima(hashes, a, b, prime, dtype, mask=None):
    x = np.array(hashes, dtype=dtype).reshape(-1, 1)
    values = (x * a + b) % dtype(prime)
    return np.min(values & mask if mask is not None else values, axis=0).tolist()


def slimpajama(text, n, count):
    text = re.sub(r"\s+", " ", text.lower().translate(NO_PUNCTUATION).strip())
    if len(text) < n:
        return None
    minhash = datasketch.MinHash(num_perm=count)
    for i in range(len(text) - n + 1):
        minhash.update(text[i:i + n].encode())
    return minhash.hashvalues.tolist()


def rpv2(text, n, count):
    text = re.sub(r"\s+", " ", text.translate(NO_PUNCTUATION).lower().strip())
    words = unicodedata.normalize("NFD", text).split()
    if len(words) < n:
        return None
    a, b = pairs(42, count, PRIME61, np.uint64)
    return minima([sha1(g.encode()) for g in grams(words, n)], a, b, PRIME61, np.uint64, LOW32)


def bigcode(text, n, count):
    words = re.split("[^A-Za-z_0-9]", text)
    # Ours: a text in another script is empty words only, and equal to any other. The program counts those words too.
    if len(words) < n or len([w for w in words if w]) < 5:
        return None
    a, b = pairs(42, count, PRIME61, np.uint64)
    return minima([sha1(g.encode()) for g in grams(words, n)], a, b, PRIME61, np.uint64, LOW32)


def text_dedup(bits):
    def signature(text, n, count):
        words = [w for w in regex.split(r"\W", text.lower()) if w]
        if len(words) < 5:
            return None
        shingles = [g.encode() for g in grams(words, min(n, len(words)))]
        if bits == 16:
            hashes = [int.from_bytes(xxhash.xxh3_128_digest(s)[:2], "big") for s in shingles]
        else:
            hashes = [xxhash.xxh3_64_intdigest(s, 42) & 0xFFFFFFFF for s in shingles]
        dtype, prime = {64: (np.uint64, PRIME61), 32: (np.uint32, (1 << 32) - 5), 16: (np.uint16, (1 << 16) - 15)}[bits]
        a, b = arrays(42, count, prime, dtype)
        return minima(hashes, a, b, prime, dtype, LOW32 if bits == 64 else None)
    return signature


def datatrove(base):
    def signature(text, n, count):
        words = split_scripts(reference().simplify(text))
        if len(words) < n:
            return None
        a, b = arrays(1, count, PRIME61, np.uint64)
        return minima([base(g.encode()) for g in grams(words, n)], a, b, PRIME61, np.uint64)
    return signature


UNSPACED = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}])")


def split_scripts(text):
    return UNSPACED.sub(r" \1 ", text).split()


def nemo_hashes(text, n, seed):
    windows = [text[i:i + n] for i in range(len(text) - n + 1)] or [text]
    return [max(mmh3.hash(w.encode(), seed, signed=False), 1) for w in windows]


def nemo(text, n, count):
    if not text:
        return None
    a, b = pairs(42, count, np.uint32((1 << 31) - 1), np.uint32)
    # In cudf the product is one of two 32-bit numbers, so it wraps before the modulo.
    x = np.array(nemo_hashes(text, n, int(a[0])), dtype=np.uint32).reshape(-1, 1)
    return np.min(x * a + b, axis=0).tolist()


def check_nemo_against_cudf():
    known = {"doc 1": [1392101586, 394869177, 811528444], "d": [2264583304, 2920538364, 3576493424],
             "The quick brown fox jumpéd over the lazy brown dog.": [253327882, 41747273, 302030804],
             "line seven": [1303819864, 850676747, 147107852]}
    params = np.arange(10, 13, dtype=np.uint32)
    for text, expected in known.items():
        x = np.array(nemo_hashes(text, 4, 0), dtype=np.uint32).reshape(-1, 1)
        assert np.min(x * params + params, axis=0).tolist() == expected, text


# Name: function, shingle sizes, permutations.
SCHEMES = {
    "slimpajama": (slimpajama, (13, 3), 128), "rpv2": (rpv2, (13, 2), 128), "bigcode": (bigcode, (5, 2), 256),
    "text-dedup": (text_dedup(64), (5, 7), 240), "text-dedup-32": (text_dedup(32), (5,), 240),
    "text-dedup-16": (text_dedup(16), (5,), 240), "nemo": (nemo, (24, 5), 260),
    "datatrove": (datatrove(lambda s: xxhash.xxh64_intdigest(s)), (5,), 112),
    "datatrove-sha1": (datatrove(lambda s: sha1(s, "<Q", 8)), (5, 2), 112),
}

ENGLISH = ("The quick brown fox jumped over the lazy dog, and then it ran 3.5 times around the old oak-tree; twice! "
           "Nobody (not even the dog) knew why it did so on the 12th of May, but there it was: running.")
TEXTS = [
    "", " ", "a", "!!!", "... --- ???", "one two three four", "One, two; three four five.", "a b c d e f",
    ENGLISH, ENGLISH.upper() + "\n\n" + ENGLISH,
    "Größe, naïve café, Ærøskøbing, İstanbul, ΟΔΥΣΣΕΥΣ ΣΑΣ. Σ, straße — voilà l’été à Zürich où ça fût déjà vu.",
    "e\u0301a\u0323\u0307 o\u0302\u0323 \u1e69 \u0301x n\u0303 \u2126 \u212b \uac01\ud7a3 \u1100\u1161 q\u0307\u0323 \u0344 end here",
    "中文没有空格，所以每个字都是一个词。这是一个很长的句子，用来测试没有空格的文字。",
    "日本語のテキストはかなと漢字とカタカナが混ざっている。ラーメン 12 杯。",
    "ภาษาไทยไม่มีช่องว่างระหว่างคำ mixed with English words and more ไทย text here.",
    "한국어는 띄어쓰기가 있는 언어입니다 그래서 단어로 나눌 수 있습니다 정말로 그렇습니다 아마도 네 그렇죠 맞아요.",
    "العربية تكتب من اليمين إلى اليسار ١٢٣٫٤٥ و هذه جملة أطول قليلا من غيرها حتى تكفي الكلمات هنا.",
    "हिन्दी में लिखा हुआ एक वाक्य जो काफ़ी लंबा है ताकि तेरह शब्द हो जाएँ और फिर भी चले १२३.",
    "emoji 😀👍🏽 and 𝐀𝐁𝐂 𐐀𐐁 flags 🇩🇪🇫🇷 astral 𠀀𠀁𠀂 characters in a sentence of many words so that it counts 🎉.",
    "tabs\tand\nnewlines\r\nand\u00a0no-break\u2003em\u3000wide\u200bzero\u2028line\x1cfile\x1fend\x0bvt\x0cff\x85nel x y z",
    "nul\x00bell\x07esc\x1bdel\x7f soft\u00adhyphen zwj\u200djoin \ufefffeff control characters in here everywhere",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1.5 2,000 3.14159 1e10 0xff 007 ١٢٣ १२३ １２３ ½ Ⅷ ²",
    "def f(x):\n    return x_1 + x2 * (y[0] - 3)  # naïve\n\nclass A_b:\n    pass\nprint(f(A_b()), 'ünï', \"s\")\n",
    "snake_case __dunder__ a-b-c don't can't x\u203fy z\u2040w \u2060word 'quoted' “curly” «guillemets» ‚low‘ end.",
    "x" * 300, "word " * 40, "a" * 55 + " " + "b" * 56 + " " + "c" * 63 + " " + "d" * 64 + " " + "e" * 119 + " f g h i j k l m n",
    "é" * 24, "é" * 23, "é" * 12, "𠀀" * 13 + "é" * 13, "24 characters are here..", "23 characters are here.",
    "thirteen char", "twelve chars", "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13", "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12",
]


def characters(text, n):
    return {text[i:i + n] for i in range(len(text) - n + 1)}


SHINGLES = {
    "fineweb": lambda t: set(grams(split_scripts(reference().simplify(t)), 5)),
    "slimpajama": lambda t: characters(re.sub(r"\s+", " ", t.lower().translate(NO_PUNCTUATION).strip()), 13),
    "rpv2": lambda t: set(grams(unicodedata.normalize("NFD", t.translate(NO_PUNCTUATION).lower()).split(), 13)),
    "text-dedup": lambda t: set(grams([w for w in regex.split(r"\W", t.lower()) if w], 5)),
    "bigcode": lambda t: set(grams(re.split("[^A-Za-z_0-9]", t), 5)),
    "nemo": lambda t: characters(t, 24),
}


def reference():
    import make_reference  # checked against datatrove there
    return make_reference


def pairs_of_texts():
    random = np.random.RandomState(5)
    letters = "abcdefghijklmnopqrstuvwxyzABCÄÖÜéèñß\u0301\u0308漢字仮名かなไทยабв"
    def word():
        return "".join(letters[i] for i in random.randint(0, len(letters), random.randint(2, 8)))
    for changes in (0, 1, 3, 6):
        first = [word() + ", .!"[random.randint(4)].strip() for _ in range(90)]
        second = list(first)
        for i in random.randint(0, len(first), changes):
            second[i] = word()
        yield " ".join(first), " ".join(second)


def jaccard(a, b):
    return len(a & b) / len(a | b)


def described(name, n, text):
    function, _, count = SCHEMES[name]
    values = function(text, n, count)
    return {"scheme": name, "ngram": n, "permutations": count,
            "first": values and values[:count if text == ENGLISH else 2],
            "xxh3_128": values and xxhash.xxh3_128_hexdigest(struct.pack(f"<{count}Q", *values))}


def main():
    check_nemo_against_cudf()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "presets.jsonl"), "w", encoding="utf-8") as out:
        for text in TEXTS:
            signatures = [described(name, n, text) for name, (_, sizes, _) in SCHEMES.items() for n in sizes]
            out.write(json.dumps({"text": text, "signatures": signatures}) + "\n")
    with open(os.path.join(here, "jaccards.jsonl"), "w", encoding="utf-8") as out:
        for a, b in pairs_of_texts():
            line = {"a": a, "b": b, "jaccards": {name: jaccard(f(a), f(b)) for name, f in SHINGLES.items()}}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
