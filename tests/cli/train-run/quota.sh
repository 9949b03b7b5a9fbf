# SPDX-License-Identifier: BSD-3-Clause
# A quota that is used up at a save (a real one, of btrfs): as with a full disk, training goes on.
[ "$(id -u)" = 0 ] || { echo "needs root: to mount a file system with a quota"; exit 77; }
command -v mkfs.btrfs >/dev/null || { echo "no mkfs.btrfs (btrfs-progs)"; exit 77; }
. "$CASE_DIR/prepare.inc"
mkdir small
truncate -s 200M image
mkfs.btrfs -q image >/dev/null 2>&1
cat >inside.sh <<'X'
mount -o loop image small 2>/dev/null || { echo "no btrfs or no loop device here"; exit 77; }
btrfs quota enable small && btrfs subvolume create small/run && btrfs qgroup limit 450k small/run || exit 77
sync
exec >&3
# When exactly the quota strikes is up to the file system: what must hold is checked, not each line.
train-run -q --threads 2 run.toml --run small/run/r --set job.steps=14 \
    --set checkpoint.retry_steps=2 --set checkpoint.keep_last=9 2>err
echo "exit code $?"
sed 's/.*"cause":"\([a-z_]*\)".*/\1/' small/run/r/exit.json
grep -q 'checkpoint not saved.*Disk quota exceeded.*training goes on' err && echo "said so"
grep -q save-failed small/run/r/faults.jsonl && echo "on record"
# Room again: it goes on from the newest valid one.
btrfs qgroup limit none small/run >/dev/null && sync
train-run -q --threads 2 run.toml --run small/run/r --set job.steps=14
echo "exit code $?"
sed 's/.*"cause":"\([a-z_]*\)".*"step":\([0-9]*\),"committed_step":\([0-9]*\).*/\1 \2 \3/' small/run/r/exit.json
umount small
X
unshare -m bash inside.sh 3>&1 >setup.log
code=$?
if [ $code -eq 77 ]; then cat setup.log; exit 77; fi
