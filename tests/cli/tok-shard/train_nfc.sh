# SPDX-License-Identifier: BSD-3-Clause
# Where the trained tokenizer normalises to NFC, so does the training: as HF tokenizers trains.
for i in $(seq 30); do printf '{"text":"ein sch\\u00f6ner gr\\u00fcner B\\u00e4r %d"}\n' "$i"; done >composed.jsonl
sed 's/\\u00f6/o\\u0308/g; s/\\u00fc/u\\u0308/g; s/\\u00e4/a\\u0308/g' composed.jsonl >apart.jsonl
for pattern in gpt2 qwen2 qwen35; do
    for text in composed apart; do
        tok-shard train -q --vocab-size 320 --pattern $pattern -o $pattern-$text.json $text.jsonl 2>/dev/null
    done
    cmp -s $pattern-composed.json $pattern-apart.json && echo "$pattern: equal" || echo "$pattern: differ"
done
