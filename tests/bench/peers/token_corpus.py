#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Text in many scripts, code and generated torture text, for token_parity.py and token_bench.

    python3 token_corpus.py FOLDER [MEGABYTES_OF_CODE]

FOLDER holds corpus-*.jsonl.zst of tests/bench/make_corpus.py. Adds, from Debian packages that apt-get downloads to
FOLDER/deb:
  scripts.jsonl.zst   translations of LibreOffice and its help in some thirty scripts (message catalogues, HTML)
  code.jsonl.zst      the kernel's sources as they are, default 250 MB
  torture.jsonl.zst   30 MB of generated text: every category of Unicode 16, white space, contractions, long runs
  mix.jsonl           all documents of all of these, those of each kind spread evenly: any first part is a fair sample
  en.txt ru.txt zh.txt ja.txt ko.txt hi.txt code.txt   up to 40 MB of one language each, documents one after the other
Needs apt-get, dpkg-deb, zstd, and unicodedata2 for the torture text.
"""
import gettext
import io
import json
import os
import random
import subprocess
import sys
import tarfile

import unicodedata2

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from debian_packages import files_of  # noqa: E402

LANGUAGES = "ar he hi th ta te bn fa ka am km ml kn gu pa-in si dz ko mr ne or kk uz vi mn ug".split()
CODE = (".c", ".h", ".S", ".py", ".rs", ".sh", ".dts", ".rst", ".txt", ".yaml", ".pl", "Kconfig", "Makefile")
SAMPLES = {"en": ("linux-doc", "rust-doc", "postgresql", "llvm"), "ru": ("manpages-ru", "libreoffice-help-ru"),
           "zh": ("libreoffice-help-zh", "manpages-zh"), "ja": ("libreoffice-help-ja", "manpages-ja"),
           "ko": ("libreoffice-help-ko",), "hi": ("libreoffice-help-hi", "libreoffice-l10n-hi"), "code": ("linux-source",)}
SAMPLE_BYTES = 40_000_000
FRAGMENTS = """'s 'S 'ſ 'll 'LL 're 'VE 'd 'M 't don't it's I'M HELLO'SWORLD helloWORLDFoo 12345 3.14 a/b//\n/c !! ...
foo_bar CamelCase ABCdef http://x.y/z?a=b&c=d <|endoftext|> <s> </s> <unk> [CLS] [MASK] <tag> <0x41> ▁ ▁▁ Ġ Ċ ## 中文测试
日本語テキスト 한국어 ไทย हिन्दी عربي русский Ελληνικά 😀👨‍👩‍👧 ǅ ʰ Ⅷ ² ½ १२ café 한글 ﬁ ① ㌔ ｱﾞ Å Ω İ ẞ""".split(" ")


def catalogue_documents(folder):
    """Messages of a catalogue in their order, 40 to a document."""
    for language in LANGUAGES:
        for name, data in files_of(folder, "libreoffice-l10n-" + language):
            if not name.endswith(".mo"):
                continue
            messages = [m for k, m in gettext.GNUTranslations(io.BytesIO(data))._catalog.items() if k and isinstance(m, str)]
            for i in range(0, len(messages), 40):
                yield f"libreoffice-l10n-{language}{name}#{i}", "\n".join(messages[i:i + 40])
    for name, data in files_of(folder, "libreoffice-help-hi"):
        if name.endswith((".html", ".js")):
            yield "libreoffice-help-hi" + name, data.decode("utf-8", "ignore").replace("\0", "")


def code_documents(folder, limit):
    for name, data in files_of(folder, "linux-source-6.1"):
        if not name.endswith(".tar.xz"):
            continue
        with tarfile.open(fileobj=io.BytesIO(data), mode="r|xz") as tar:
            for member in tar:
                if member.isfile() and member.name.endswith(CODE) and member.size < 1_000_000:
                    text = tar.extractfile(member).read().decode("utf-8", "ignore").replace("\0", "")
                    limit -= len(text)
                    yield "linux-source/" + member.name, text
                    if limit < 0:
                        return


def torture_documents(size):
    rng = random.Random(16)
    by_category = {}
    for cp in range(0x110000):
        if not 0xD800 <= cp < 0xE000:
            by_category.setdefault(unicodedata2.category(chr(cp)), []).append(chr(cp))
    categories = sorted(by_category)
    every = [c for k in categories if k not in ("Cn", "Co") for c in by_category[k]]
    white = [chr(c) for c in (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x2029, 0x202F, 0x3000)]
    near = [chr(c) for c in (0x180E, 0x200B, 0xFEFF, 0x1C, 0x1F, 0x17F, 0x212A, 0x200D, 0x2019, 0x301, 0xE000, 0x110BA)]
    for i in range(0, len(every), 200):  # every assigned character, once among its like, once shuffled
        yield "torture/all", " ".join(every[i:i + 200]) + "".join(every[i:i + 200])
    rng.shuffle(every)
    for i in range(0, len(every), 200):
        yield "torture/shuffled", "".join(every[i:i + 200])
    while size > 0:
        parts = []
        for _ in range(rng.randint(1, 60)):
            kind = rng.random()
            if kind < 0.25:
                parts.append(rng.choice(FRAGMENTS))
            elif kind < 0.45:
                parts.append(rng.choice(white) * rng.choice([1, 1, 1, 2, 3, 9]))
            elif kind < 0.5:
                parts.append(rng.choice(near))
            elif kind < 0.7:
                parts.append("".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 6))))
            elif kind < 0.72:
                parts.append(rng.choice(every) * rng.randint(2, 300))
            else:
                parts.append("".join(rng.choice(by_category[rng.choice(categories)]) for _ in range(rng.randint(1, 4))))
        text = "".join(parts)
        size -= len(text.encode())
        yield "torture/random", text


def write(path, documents):
    total = count = 0
    with open(path, "wb") as sink, subprocess.Popen(["zstd", "-q", "-3"], stdin=subprocess.PIPE, stdout=sink) as process:
        for source, text in documents:
            process.stdin.write((json.dumps({"text": text, "source": source}, ensure_ascii=False) + "\n").encode())
            total, count = total + len(text.encode()), count + 1
        process.stdin.close()
    print(f"{path}: {total / 1e6:.1f} MB of text in {count} documents", flush=True)
    return count


def lines_of(path):
    with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as process:
        yield from process.stdout


def mix(folder, paths, counts):
    """Takes the next document from the file of which the smallest share is out."""
    readers, done = [lines_of(p) for p in paths], [0] * len(paths)
    with open(os.path.join(folder, "mix.jsonl"), "wb") as out:
        left = set(range(len(paths)))
        while left:
            i = min(left, key=lambda k: (done[k] / counts[k], k))
            line = next(readers[i], None)
            if line is None:
                left.remove(i)
            else:
                out.write(line)
                done[i] += 1


def samples(folder):
    outputs = {name: [open(os.path.join(folder, name + ".txt"), "wb"), SAMPLE_BYTES] for name in SAMPLES}
    for line in open(os.path.join(folder, "mix.jsonl"), "rb"):
        document = json.loads(line)
        for name, sources in SAMPLES.items():
            if document["source"].startswith(sources) and outputs[name][1] > 0:
                data = document["text"].encode() + b"\n"
                outputs[name][0].write(data)
                outputs[name][1] -= len(data)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, code = sys.argv[1], float(sys.argv[2] if len(sys.argv) > 2 else 250) * 1e6
    packages = os.path.join(folder, "deb")
    os.makedirs(packages, exist_ok=True)
    paths = [os.path.join(folder, name + ".jsonl.zst") for name in ("scripts", "code", "torture")]
    counts = [write(path, documents) for path, documents in zip(paths, (
        catalogue_documents(packages), code_documents(packages, code), torture_documents(30_000_000)))]
    manuals = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.startswith("corpus-"))
    counts += [sum(1 for _ in lines_of(path)) for path in manuals]
    mix(folder, paths + manuals, counts)
    samples(folder)


main()
