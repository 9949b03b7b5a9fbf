# SPDX-License-Identifier: BSD-3-Clause
# A full disk and a read-only one: exit 3, the destination as it was, nothing left over.
unshare -rm true 2>/dev/null || { echo "no user namespaces here"; exit 77; }
ckpt-reshard import-hf -q "$DATA/ckpt/hf/llama" a
mkdir small
cat >inside.sh <<'END'
set -u
mount -t tmpfs -o size=40k none small
ckpt-reshard run -q a small/b --to tp=2
echo "exit $?"
ckpt-reshard import-hf -q "$DATA/ckpt/hf/llama" small/c
echo "exit $?"
ckpt-reshard export-hf -q a small/d
echo "exit $?"
rm -rf small/.b.tmp-reshard
ls -A small
mount -o remount,ro small
ckpt-reshard run -q a small/b --to tp=2
echo "exit $?"
END
unshare -rm bash inside.sh
