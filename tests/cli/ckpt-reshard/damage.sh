# SPDX-License-Identifier: BSD-3-Clause
# What doctor, verify, ls and run say of damaged checkpoints.
mkdir ckpt
for step in 1 2 3 4 5 6; do cp -r "$DATA/ckpt/v1/step-00000020" "ckpt/step-0000000$step"; done
chmod -R u+w ckpt
rm ckpt/step-00000006/MANIFEST.json                           # no manifest
truncate -s 700 ckpt/step-00000005/MANIFEST.json              # torn manifest
rm ckpt/step-00000004/rank-00001.h5                           # missing file
truncate -s -1 ckpt/step-00000003/rank-00000.h5               # truncated container
sed -i 's/"seed":42/"seed":43/' ckpt/step-00000002/MANIFEST.json  # edited
offset=$(sed -n 's/^\[0,.*,1,\([0-9]*\),"[0-9a-f]*"\],$/\1/p' ckpt/step-00000001/MANIFEST.json | head -n 1)
printf '\377' | dd of=ckpt/step-00000001/rank-00001.h5 bs=1 seek=$((offset + 5)) conv=notrunc status=none
hide() { sed -E 's/[0-9a-f]{32}/HASH/g'; }
ckpt-reshard ls . | hide
echo "exit ${PIPESTATUS[0]}"
ckpt-reshard doctor . | hide
echo "exit ${PIPESTATUS[0]}"
ckpt-reshard verify ckpt/step-00000001 | hide
echo "exit ${PIPESTATUS[0]}"
ckpt-reshard run -q ckpt/step-00000001 out --to tp=2 2>&1 | hide
echo "exit ${PIPESTATUS[0]}"
ckpt-reshard verify ckpt/step-00000005 --json | hide
ckpt-reshard verify ckpt/step-00000006
echo "exit $?"
ckpt-reshard diff ckpt/step-00000001 "$DATA/ckpt/v1/step-00000020"
echo "exit $?"
ckpt-reshard diff ckpt/step-00000001 "$DATA/ckpt/v1/step-00000020" --json
ckpt-reshard diff -q ckpt/step-00000001 "$DATA/ckpt/v1/step-00000020" --read-all >read 2>&1
echo "exit $?"
rm read
ckpt-reshard show ckpt/step-00000001 --run-config --json
ln -sf MANIFEST.json ckpt/step-00000006/MANIFEST.json  # cannot be read now: shown, not chosen over
ckpt-reshard ls . | grep step-00000006
ckpt-reshard gc . --dry-run
echo "exit $?"
ls -A
