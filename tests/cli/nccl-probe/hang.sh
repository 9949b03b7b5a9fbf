# SPDX-License-Identifier: BSD-3-Clause
for case in absent dead differ network chain none; do
    echo "== $case"
    nccl-probe hang "$DATA/ring/$case"
    echo "exit $?"
done
mkdir empty
nccl-probe hang empty
echo "exit $?"
