# SPDX-License-Identifier: BSD-3-Clause
set -e
mkdir ckpt
for step in 10 20 30 40; do
    ckpt-reshard import-hf -q "$DATA/ckpt/hf/gpt2" ckpt/step-000000$step --step $step
done
mkdir ckpt/.step-00000050.tmp-1 ckpt/.trash-step-00000001-1
touch -d '2 hours ago' ckpt/.step-00000050.tmp-1
rm ckpt/step-00000040/rank-00000.h5
ckpt-reshard gc . --keep-last 1 --keep-every 20 --dry-run | sort
ckpt-reshard gc . --keep-last 1 --keep-every 20 --json | sort
ls -A ckpt
