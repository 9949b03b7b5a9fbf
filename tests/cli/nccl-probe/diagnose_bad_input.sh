# SPDX-License-Identifier: BSD-3-Clause
# A missing file, a folder, a cut gzip, an empty log, binary rubbish.
nccl-probe diagnose missing.log
echo "exit $?"
nccl-probe diagnose
echo "exit $?"
gzip -c "$DATA/nccl-logs/shm-full.log" | head -c 300 >cut.gz
nccl-probe diagnose cut.gz
echo "exit $?"
: >empty.log
nccl-probe diagnose empty.log
echo "exit $?"
printf '\0\1\2NCCL WARN \377\376\n' >binary.log
nccl-probe diagnose binary.log
echo "exit $?"
