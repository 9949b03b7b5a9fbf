# SPDX-License-Identifier: BSD-3-Clause
# Data that cannot be right is refused by name, before the first step.
. "$CASE_DIR/prepare.inc"
tok-shard train -q --input-format lines --vocab-size 280 -o other.json text.txt
tok-shard -q -t other.json --input-format lines -o other text.txt
train run.toml --run r1 --set 'data.train=["nowhere"]'
member r1/exit.json cause
train run.toml --run r2 --set 'data.train=["shards", "other"]'
train run.toml --run r3 --set 'data.validation=["other"]'
train run.toml --run r4 --set data.seq_len=1000000
train run.toml --run r5 --set model.vocab_size=100
train run.toml --run r6
train run.toml --run r6 --set job.steps=13 --set 'data.train=["other"]' --set model.vocab_size=300
train run.toml --run r7 --set data.global_batch=1
cp -r shards torn
truncate -s -100 torn/shard-*.h5
train run.toml --run r8 --set 'data.train=["torn"]'
train run.toml --run text.txt/x
