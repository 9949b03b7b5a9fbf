# SPDX-License-Identifier: BSD-3-Clause
# What says nothing about the shards is no damage: wrong options are 2, what can not be read is 3.
check() { tok-shard verify "$@"; echo "exit $?"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
cp "$DATA/token/hf_gpt2.json" t.json
tok-shard -q -t t.json -o s c.jsonl
tok-shard convert -q s -o megatron --format megatron
mkdir foreign empty
cp megatron/tokens.bin megatron/tokens.idx foreign
check nowhere
check t.json
check empty
check foreign
check -t t.json s
check --vocab-size 5 s
check --column ids s
check --eos '<|endoftext|>' foreign/tokens
check --pattern gpt2 foreign/tokens
check --vocab-size 100000 foreign/tokens
tok-shard stats --eos none s
tok-shard -q verify s
tok-shard verify s s
tok-shard verify -x s
tok-shard verify --seed
tok-shard verify --seed 1 --seed 2 s
# Root reads everything: a loop of links is what it can not read.
rm s/shard-00000-000.h5
ln -s shard-00000-000.h5 s/shard-00000-000.h5
check s
