#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference data of the dedup tests from independent code.

normalize.tsv   text, and what datatrove's simplify_text makes of it (JSON strings)
signatures.tsv  text, n-grams, and the 112 values of datatrove's MinHash (numpy, xxhash)
The formulas are datatrove 0.10.1's (utils/text.py, pipeline/dedup/minhash.py), written again with
regex, unicodedata2 (Unicode 16.0), numpy and xxhash; words are split at white space, where datatrove
has a spaCy tokenizer. Compared once with the real datatrove 0.10.1: simplify_text equal on all rows,
signatures on all but those of the text with "№5", which spaCy splits in two. Needs: pip install regex unicodedata2 numpy xxhash. Run by hand, once.
"""
import json
import os
import random
import re

import numpy as np
import regex
import unicodedata2
import xxhash

PUNCTUATION = ("!/—”:％１〈&(、━\\【#%「」，】；+^]~“《„';’{|∶´[=-`*．（–？！：$～«〉,><》)?）。…@_.\"}►»" + "".join(
    chr(x) for a, b in ((0, 9), (11, 13), (13, 32), (127, 160)) for x in range(a, b)))
TRANSLATION = str.maketrans(PUNCTUATION, " " * len(PUNCTUATION))
NUMBERS = regex.compile(r"\p{Nd}+([.,،٫⎖⎗⎘]{1}\p{Nd}+)?", regex.UNICODE)
PRIME = np.uint64((1 << 61) - 1)


def simplify(text):
    text = NUMBERS.sub("0", text.lower())
    text = re.sub(r"\s+", " ", text.translate(TRANSLATION).strip())
    text = "".join(c for c in unicodedata2.normalize("NFD", text) if unicodedata2.category(c) != "Mn")
    return text.strip()


def signature(text, n):
    words = simplify(text).split()
    grams = [" ".join(words[i:i + n]) for i in range(len(words) - n + 1)]
    if not grams:
        return None
    shingles = np.fromiter((xxhash.xxh64_intdigest(g.encode()) for g in grams), dtype=np.uint64).reshape((-1, 1))
    gen = np.random.RandomState(1)
    a = gen.randint(1, PRIME, dtype=np.uint64, size=(1, 112))
    b = gen.randint(0, PRIME, dtype=np.uint64, size=(1, 112))
    return np.min((shingles * a + b) % PRIME, axis=0).tolist()


HAND = [
    "", " ", "Hello, World!", "It costs 3.50 or 1,234,567.89 or 12.", "v1.2.3.4", "5 %  off\t\n now",
    "ÀÉÎõü Ångström Ж", "İstanbul ISPARTA ı", "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣ'Β ΑΣ.Β", "straße STRASSE ẞ",
    "日本語のテキスト。全角１２３と漢字", "ภาษาไทย ไม่มีช่องว่าง", "ព្រះរាជាណាចក្រ", "မြန်မာဘာသာ",
    "한국어 텍스트 각각", "हिन्दी में लिखा १२३,४५६", "العربية ١٢٣٫٤٥ نص، ٥", "עברית עם נִקּוּד",
    "a \u0301 b", "\u0301 a", "a \u0301", "\u0301", "1\u03012", "x\u00a0\u2003y\u3000z\u200bq\u2028r",
    "\x00nul\x07bell\x1c\x7f\x85end", "soft\u00adhyphen", "emoji 😀👍🏽 flag 🇩🇪", "‘single’ “double” „low“ «g»",
    "\u302f\u302e\u0301\ua9c0\u302e", "\U0001d15e\U0001d165\U0001d16e\u302e", "\u037e \u1fef \u2126 \u212b \u2000x",
    "ﬁ ligature ½ Ⅷ ⅷ", "don't can't; re-use/over_all", "𝟎𝟏𝟐 𝐀𝐁", "ᾳ ᾼ ᾨ Ϋ́ ΐ", "ǅ ǆ Ǆ", "\ufeffbom", "क़ क़ ড়",
    "\U0001e900\U0001e921 \U00010400 Ꭰ ꭰ", "\u1b44\u1b35 ᬒ ᬒ", "100 000,5 7.\u0663 8⎖9 8⎗9 8⎘9 8،9 8、9",
]


def random_text(rng):
    pools = ["abc xyz.,", "ABCÄÖÜß 0129.,", "ΑΒΣσς' .\u0301", "漢字かなカナ。", "กขคง ่้", "\u0301\u302e\u0327\u0345",
             "१२३ 1.2,3", "\u1100\uac01\ud7a3 ", "\t\n\u00a0\u2003-_", "\u0bcb\u0dde\u1b44\ua9c0"]
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randint(1, 40)))


def is_stable(text):
    """Characters on which Python's own Unicode data (lower(), isspace()) agrees with 16.0."""
    import unicodedata
    return all(unicodedata.category(c) == unicodedata2.category(c) for c in text)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    rng = random.Random(20260829)
    texts = HAND + [random_text(rng) for _ in range(400)]
    # Every character below U+3000 and a sample of the rest, between letters.
    everything = [c for c in range(0x20, 0x110000) if not 0xD800 <= c < 0xE000 and
                  unicodedata2.category(chr(c)) not in ("Cn", "Co") and is_stable(chr(c))]
    low = [c for c in everything if c < 0x3000]
    high = [c for c in everything if c >= 0x3000 and c % 53 == 0]
    marks = [c for c in everything if c >= 0x3000 and unicodedata2.combining(chr(c))]
    for chosen in (low, high, marks):
        for i in range(0, len(chosen), 64):
            texts.append("a".join(map(chr, chosen[i:i + 64])))
    with open(os.path.join(here, "normalize.tsv"), "w", encoding="utf-8") as out:
        for text in texts:
            if is_stable(text):
                out.write(json.dumps(text) + "\t" + json.dumps(simplify(text)) + "\n")
    words = "the of and to in a is that for it as was with be by on not he I this are or his from".split()
    samples = [" ".join(rng.choice(words) for _ in range(n)) for n in (4, 5, 6, 20, 300)]
    samples += ["Größe: 3,5 m — Ünïcödé, “quotes” & more; naïve café №5", "один два три четыре пять шесть семь"]
    with open(os.path.join(here, "signatures.tsv"), "w", encoding="utf-8") as out:
        for text in samples:
            for n in (5, 2):
                out.write(json.dumps(text) + "\t" + str(n) + "\t" + json.dumps(signature(text, n)) + "\n")


if __name__ == "__main__":
    main()
