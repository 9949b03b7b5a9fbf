# SPDX-License-Identifier: BSD-3-Clause
# How samples are made, ordered and read.
. "$CASE_DIR/prepare.inc"
# Reading ahead and copies on the node change nothing; the wait for data is in the metrics.
train run.toml --run ahead
train run.toml --run direct --set data.prefetch=0
train run.toml --run cached --set data.cache_dir=cache --set data.prefetch_threads=3
losses ahead >ahead.txt
for run in direct cached; do losses "$run" | cmp - ahead.txt && echo "$run: losses are equal"; done
find cache -name '*.h5' | wc -l
grep -c '"blend_version":2,.*"data_wait_s":' ahead/metrics.jsonl
# Each way of making samples goes on after a stop, at another number of ranks.
cp -r shards more
try() {
    name=$1
    shift
    train run.toml --run "$name" "$@"
    train run.toml --run "$name-parts" --set job.steps=5 "$@"
    train run.toml --run "$name-parts" --set parallel.dp_shard=3 "$@"
    losses "$name" | cut -d' ' -f1,3 >samples.txt
    losses "$name-parts" | cut -d' ' -f1,3 | cmp - samples.txt && echo "$name: samples are equal"
}
try packed --set data.packing=best-fit --set data.attention=document
try blocks --set data.order=block --set data.order_block=2 --set data.order_window=3 --set data.read_ahead=true
try blend --set 'data.train=["shards", "more"]' --set 'data.weights=[0.7, 0.3]' --set data.mask_boundaries=true
try spans --set 'data.loss_between=["32", "46"]' --set 'data.mask_ids=["46"]' --set model.family=llama
# Megatron's order is that of a length; another one is another phase.
train run.toml --run megatron --set data.order=megatron
train run.toml --run megatron --set data.order=megatron --set job.steps=13
train run.toml --run megatron --set data.order=megatron --set job.steps=13 --set data.phase=1
train run.toml --run packed --set job.steps=13 --set data.packing=stream --set data.attention=document
train run.toml --run packed --set job.steps=13 --set data.phase=1
# The proof of the order, and the documents of a step of packed samples.
tok-shard loader --check --run megatron --steps 5 | grep -c ^ok
tok-shard loader --check --run packed-parts --steps 20 | grep -v ^order
tok-shard batch --run packed-parts --step 7 --sample 0 --width 12 | head -n 2
train run.toml --run wrong --set data.cache_size=none
train run.toml --run wrong --set data.order=megatron --set 'data.train=["shards", "more"]'
