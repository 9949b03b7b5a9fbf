# SPDX-License-Identifier: BSD-3-Clause
# Malformed, empty, long and non-UTF-8 lines are named and counted, or end the program.
{
    head -2 "$DATA/tokshard/corpus.jsonl"
    echo '{"text": "cut'
    echo
    echo '{"id": 1}'
    printf '{"text": "bad \xff byte"}\n'
    echo '["not", "an", "object"]'
    printf '{"text": "%s"}\n' "$(head -c 5000 /dev/zero | tr '\0' x)"
    echo '{"text": ""}'
    echo '{"text": "lone \ud800 surrogate"}'
    printf '{"text": "no newline at the end"}'
} > bad.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o all --max-line 4KiB bad.jsonl
echo "exit $?"
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o all --max-line 4KiB --max-bad-records 50% bad.jsonl
echo "exit $?"
tok-shard decode all --json | sed 's/"text".*//'
sed -n '/"counts"/,/"first"/p' all/manifest.json
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o first --on-bad-record fail bad.jsonl
echo "exit $?"
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o kept --empty keep --max-line 4KiB --max-bad-records 5 bad.jsonl
tok-shard cat kept --first 2 --count 1
echo '{"text": "a <|endoftext|> inside"}' > special.jsonl
for word in plain parse refuse; do
    tok-shard -q -t "$DATA/token/hf_gpt2.json" -o $word --special-text $word --max-bad-records 1 special.jsonl
    tok-shard cat $word
done
