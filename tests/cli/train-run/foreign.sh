# SPDX-License-Identifier: BSD-3-Clause
# Files of Megatron and of MDS as data: the same tokens, so the same losses; resumed, copied, damaged.
. "$CASE_DIR/prepare.inc"
tok-shard convert -q shards -o m --format megatron
tok-shard convert -q shards -o s --format mds --mds-size-limit 3000
mkdir files mds
cp m/tokens.bin m/tokens.idx files
cp s/index.json s/*.mds mds
ls files mds
# Orders that are shuffled are those of a data set; as stored, all are alike.
on() {
    name=$1 data=$2
    shift 2
    train run.toml --run "$name" --set "data.train=[\"$data\"]" --set data.order=sequential \
        --set data.mask_boundaries=true --set data.attention=document "$@"
}
on hdf5 shards
losses hdf5 >expected.txt
for data in files/tokens files/tokens.idx mds m s; do
    name=run-$(echo "$data" | tr '/' '-')
    on "$name" "$data" --set model.vocab_size=300
    losses "$name" | cmp - expected.txt && echo "$data: losses are equal"
done
# Goes on after a stop at another number of ranks, from copies on the node.
for data in files/tokens mds; do
    name=parts-$(echo "$data" | tr '/' '-')
    on "$name" "$data" --set model.vocab_size=300 --set job.steps=5 --set data.cache_dir=cache
    on "$name" "$data" --set model.vocab_size=300 --set parallel.dp_shard=3 --set data.cache_dir=cache
    cut -d' ' -f1,3 expected.txt >samples.txt
    losses "$name" | cut -d' ' -f1,3 | cmp - samples.txt && echo "$data: samples are equal"
done
find cache -name '*.mds' -o -name '*.bin' -o -name '*.idx' | sed 's:.*/::' | sort
# Two of another program together, and what each refuses.
train run.toml --run two --set 'data.train=["files/tokens", "mds"]' --set model.vocab_size=300
echo "-- damage" >&2
mkdir empty
train run.toml --run x1 --set 'data.train=["empty"]' --set model.vocab_size=300
train run.toml --run x2 --set 'data.train=["files/tokens"]'
train run.toml --run x3 --set 'data.train=["files/tokens", "shards"]' --set model.vocab_size=300
train run.toml --run x4 --set 'data.train=["files/tokens"]' --set model.vocab_size=100
train run.toml --run x5 --set 'data.train=["mds"]' --set model.vocab_size=299 --set data.packing=best-fit
member x5/exit.json cause
cp files/tokens.idx one.idx
train run.toml --run x6 --set 'data.train=["one"]' --set model.vocab_size=300
cp files/tokens.bin one.bin
truncate -s -2 one.bin
train run.toml --run x7 --set 'data.train=["one"]' --set model.vocab_size=300
cp files/tokens.bin one.bin
printf '\007' | dd of=one.idx bs=1 seek=17 conv=notrunc status=none
train run.toml --run x8 --set 'data.train=["one"]' --set model.vocab_size=300
printf '\004' | dd of=one.idx bs=1 seek=17 conv=notrunc status=none
train run.toml --run x9 --set 'data.train=["one"]' --set model.vocab_size=300
rm files/tokens.idx
train run.toml --run x10 --set 'data.train=["files/tokens"]' --set model.vocab_size=300
rm mds/shard-00000-001.mds
train run.toml --run x11 --set 'data.train=["mds"]' --set model.vocab_size=300
truncate -s -30 mds/index.json
train run.toml --run x12 --set 'data.train=["mds"]' --set model.vocab_size=300
rm mds/index.json
train run.toml --run x13 --set 'data.train=["mds"]' --set model.vocab_size=300
