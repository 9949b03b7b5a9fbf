# SPDX-License-Identifier: BSD-3-Clause
# A full disk at a save: training goes on, says so, tries again, keeps the newest valid checkpoint.
command -v unshare >/dev/null || { echo "no unshare(1)"; exit 77; }
unshare -rm true 2>/dev/null || { echo "user namespaces are not allowed here"; exit 77; }
. "$CASE_DIR/prepare.inc"
mkdir small
cat >inside.sh <<'X'
mount -t tmpfs -o size=640k tmpfs small || exit 77
train-run -q --threads 2 run.toml --run small/run --set job.steps=14 \
    --set checkpoint.retry_steps=2 --set checkpoint.keep_last=9
echo "exit code $?"
sed 's/.*"cause":"\([a-z]*\)".*"step":\([0-9]*\),"committed_step":\([0-9]*\).*/\1 \2 \3/' small/run/exit.json
grep -c save-failed small/run/faults.jsonl
ls small/run/ckpt
# Room again: it goes on from the newest valid one.
mount -o remount,size=10m small
train-run -q --threads 2 run.toml --run small/run --set job.steps=14
echo "exit code $?"
ls small/run/ckpt
# Read-only: nothing can be begun.
mount -o remount,ro small
train-run -q --threads 2 run.toml --run small/other
echo "exit code $?"
X
unshare -rm bash inside.sh
