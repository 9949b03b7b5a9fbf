# SPDX-License-Identifier: BSD-3-Clause
# Cut and damaged compressed inputs are always an error, also in a pipe.
gzip -c "$DATA/tokshard/corpus.jsonl" > whole.gz
head -c 2000 whole.gz > cut.jsonl.gz
cat whole.gz whole.gz > two.jsonl.gz
zstd -qc "$DATA/tokshard/corpus.jsonl" | head -c 1500 > cut.jsonl.zst
run() { tok-shard -q -t "$DATA/token/hf_gpt2.json" "$@"; echo "exit $?"; }
run -o a cut.jsonl.gz
run -o b cut.jsonl.zst
run -o c - < cut.jsonl.gz
run -o d two.jsonl.gz
tok-shard stats d | head -1
run -o e missing.jsonl
ls a
