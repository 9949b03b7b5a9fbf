# SPDX-License-Identifier: BSD-3-Clause
# The round: import, other layouts, equality, what plan and ls say.
set -e
mkdir ckpt
ckpt-reshard import-hf -q "$DATA/ckpt/hf/llama" ckpt/step-00000000
ckpt-reshard plan ckpt/step-00000000 --to tp=3,dp_shard=2,zero=1
ckpt-reshard plan ckpt/step-00000000 --to tp=3,dp_shard=2,zero=1 --json
ckpt-reshard run -q ckpt/step-00000000 ckpt/step-00000001 --to tp=3,dp_shard=2,zero=1
ckpt-reshard run -q ckpt/step-00000001 ckpt/step-00000002 --to tp=2,pp=2
ckpt-reshard run -v ckpt/step-00000001 ckpt/step-00000002 --to tp=2,pp=2 2>&1
ckpt-reshard run ckpt/step-00000001 ckpt/step-00000002 --to tp=2,pp=1 || echo "exit $?"
ckpt-reshard diff ckpt/step-00000000 ckpt/step-00000002 --read-all
ckpt-reshard run -q ckpt/step-00000002 half --to pp=2 --dtype bf16
ckpt-reshard diff ckpt/step-00000000 half --kind master | tail -n 1
ckpt-reshard diff ckpt/step-00000000 half --tolerance 0.004
ckpt-reshard ls .
ckpt-reshard verify ckpt/step-00000002 half
ckpt-reshard show half --tensors | grep -v ^self | sed 's/([0-9a-f]*)//; s/by ckpt-reshard .*/by ckpt-reshard/'
ckpt-reshard show ckpt/step-00000002 --lineage | sed "s:$DATA:DATA:; s:$PWD/::; s/by ckpt-reshard .*/by ckpt-reshard/"
