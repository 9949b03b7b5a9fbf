# SPDX-License-Identifier: BSD-3-Clause
# A damaged checkpoint is passed over for an older one and kept; with no sound one left, or one that
# cannot be read, the run stops instead of beginning again.
. "$CASE_DIR/prepare.inc"
flip() { # FILE: inverts the first byte of the slice that the manifest names first
    local at byte
    at=$(tr -d '\n ' <"$(dirname "$1")/MANIFEST.json" | sed 's/.*"slices":\[\[[^"]*,\([0-9]*\),".*/\1/')
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059  # the format is the byte
    printf "\\x$(printf %x $((255 - byte)))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}
train run.toml --run whole
train run.toml --run run --set job.steps=8 --set checkpoint.keep_last=9
flip run/ckpt/step-00000008/rank-00000.h5
cp -r run all
train run.toml --run run --set checkpoint.every=2
member run/exit.json committed_step
ckpt-reshard diff -q whole/ckpt/step-00000012 run/ckpt/step-00000012 >diff.txt
echo "diff $?"
ls run/ckpt
cp -r run text && flip text/ckpt/step-00000012/rank-00000.h5
train-run generate text --prompt the --max-tokens 2 --json | sed 's/.*"step":\([0-9]*\).*/text of step \1/'
flip all/ckpt/step-00000004/rank-00000.h5
train run.toml --run all
member all/exit.json cause
rm all/ckpt/step-00000008/MANIFEST.json
truncate -s 100 all/ckpt/step-00000004/MANIFEST.json
train run.toml --run all
ls all/ckpt
ln -s MANIFEST.json all/ckpt/step-00000008/MANIFEST.json
train run.toml --run all
