#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/data/tokshard/corpus.jsonl: 120 small documents in several scripts, some with escapes."""
import json
import random

WORDS = """the quick brown fox jumps over a lazy dog while many small rivers run down to the old sea and
people who live there tell long stories about storms ships lights and distant shores каждый день новый
мир 東京 大阪 山川 hello world""".split()
rng = random.Random(7)
for i in range(120):
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 60))]
    text = " ".join(words).capitalize() + rng.choice([".", "!\n", "?\t", " <|endoftext|>", " caf\u00e9"])
    print(json.dumps({"id": f"doc-{i:03}", "text": text}, ensure_ascii=i % 2 == 0))
