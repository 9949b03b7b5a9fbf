# SPDX-License-Identifier: BSD-3-Clause
# 12 steps equal 5, a resume, and 7 more, bit for bit; and with other ranks the same samples.
. "$CASE_DIR/prepare.inc"
train run.toml --run whole
train run.toml --run parts --set job.steps=5
train run.toml --run parts
losses whole >whole.txt
losses parts >parts.txt
wc -l <whole.txt
cmp whole.txt parts.txt && echo "losses are equal"
ckpt-reshard diff -q whole/ckpt/step-00000012 parts/ckpt/step-00000012 >diff.txt
echo "diff $?"
train run.toml --run other --set job.steps=5
train run.toml --run other --set parallel.dp_shard=3
cut -d' ' -f1,3 whole.txt >whole.samples
losses other | cut -d' ' -f1,3 | cmp - whole.samples && echo "samples are equal"
# A finished run ends at once.
train run.toml --run whole
member whole/exit.json cause
# Changes are recorded; other data without a new phase is refused.
train run.toml --run parts --set job.steps=13 --set schedule.lr=5e-3
tr -d '\n' <parts/ckpt/step-00000013/MANIFEST.json | grep -o '"key":"schedule.lr","from":"0.01","to":"0.005"'
train run.toml --run parts --set job.steps=14 --set data.global_batch=4
train run.toml --run parts --set job.steps=14 --set data.global_batch=4 --set data.phase=1
train run.toml --run parts --set job.steps=15 --set data.phase=1 --set data.global_batch=4 --set job.seed=2
# The positions of the model stay; a shorter sequence is a new phase; fewer steps than done: a warning.
train run.toml --run parts --set job.steps=15 --set data.phase=2 --set data.seq_len=8
train run.toml --run parts --set job.steps=16 --set data.phase=3 --set data.seq_len=32
train run.toml --run parts --set job.steps=16 --set data.phase=2 --set data.seq_len=8 --set model.hidden=32
train run.toml --run parts --set job.steps=10 --set data.phase=2 --set data.seq_len=8
