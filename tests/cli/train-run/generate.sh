# SPDX-License-Identifier: BSD-3-Clause
# Text from a run, greedy and drawn; the same seed gives the same text.
. "$CASE_DIR/prepare.inc"
train run.toml --run run --set job.steps=60 --set data.validation='["shards"]' --set metrics.validate_every=20 \
    --set metrics.validate_samples=8 --set metrics.tensorboard=true --set metrics.prometheus=prom.txt
grep -c validation_loss run/metrics.jsonl
grep -c '^longhaul_train_' prom.txt
for file in run/tensorboard/events.out.tfevents.*; do [ -s "$file" ] && echo "events"; done
train-run generate run --prompt "the 4 cat" --max-tokens 8 --temperature 0 >greedy.txt
train-run generate run/ckpt/step-00000060 --prompt "the 4 cat" --max-tokens 8 --temperature 0 | cmp - greedy.txt
head -c 9 greedy.txt; echo
draw() { train-run generate run --max-tokens 12 --top-k 20 --ignore-end --seed "$1"; }
draw 1 >first
draw 1 | cmp - first && echo "same seed, same text"
draw 2 | cmp -s - first || echo "other seed, other text"
train-run generate run --prompt "the" --max-tokens 3 --json | sed 's/"text":"[^"]*"/"text":"..."/; s/"seconds":[0-9.e-]*/"seconds":0/'
train-run generate run --prompt "the" --temperature -1
echo "exit code $?"
train-run generate shards --prompt "the"
echo "exit code $?"
for arguments in "--max-tokens -1" "--seed -1" "--prompt $(printf 'cat%.0s' $(seq 40))"; do
    # shellcheck disable=SC2086  # an option and its value
    train-run generate run $arguments
    echo "exit code $?"
done
