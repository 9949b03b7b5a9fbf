#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/documents/v1: sample.jsonl and the same as .gz (two members) and .zst (two frames).

90 invented documents with exact copies, edited copies, short ones, and Chinese, Japanese and Thai text.
Needs the zstd program. Run once; the files of v1 are never changed.
"""
import gzip
import io
import json
import os
import random
import subprocess

SUBJECTS = "the river|a careful clerk|our neighbour|the old engine|every morning train|the council".split("|")
VERBS = "carried|remembered|measured|repaired|painted|counted|forgot|described".split("|")
OBJECTS = "the wooden bridge|a box of letters|seven grey stones|the price of bread|the northern road".split("|")
ENDS = "before the rain came|with great patience|for no good reason|in the year 1871|and nobody noticed".split("|")
CJK = ["今天的天气非常好，我们一起去公园散步，然后在湖边喝茶。", "昨日は雨が降っていたので、家で本を読みながら過ごしました。",
       "วันนี้อากาศดีมากเราจึงออกไปเดินเล่นที่สวนสาธารณะใกล้บ้าน"]


def sentence(rng):
    words = [rng.choice(part) for part in (SUBJECTS, VERBS, OBJECTS, ENDS)]
    return (" ".join(words) + ".").capitalize()


def main():
    rng = random.Random(3)
    texts = []
    for i in range(60):
        texts.append(" ".join(sentence(rng) for _ in range(rng.randint(6, 14))))
    for i in range(0, 60, 6):
        texts.append(texts[i])                                      # exact copies
    for i in range(3, 60, 6):
        words = texts[i].split(" ")
        words[rng.randrange(len(words))] = "altered"
        texts.append(" ".join(words).upper())                       # edited copies
    for text in CJK:
        texts += [text * 3, text * 3 + text[:4]]
    texts += ["Page not found", "Page not found", "Page was found", ""]
    rng.shuffle(texts)
    lines = []
    for i, text in enumerate(texts):
        record = {"id": i, "text": text, "meta": {"tags": ["a", "\u00fc"], "score": i / 8}}
        lines.append(json.dumps(record, ensure_ascii=i % 3 == 0, separators=(",", ":") if i % 2 else (", ", ": ")))
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "v1")
    parts = ["\n".join(lines[:40]) + "\n", "\n".join(lines[40:]) + "\n"]
    plain, zipped, zst = (open(os.path.join(folder, "sample.jsonl" + end), "wb") for end in ("", ".gz", ".zst"))
    for part in parts:
        data = part.encode()
        plain.write(data)
        member = io.BytesIO()
        with gzip.GzipFile(fileobj=member, mode="wb", mtime=0) as stream:
            stream.write(data)
        zipped.write(member.getvalue())
        zst.write(subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout)


main()
