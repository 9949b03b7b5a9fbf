# SPDX-License-Identifier: BSD-3-Clause
# Judging recorded pairs: a slow host, a silent host, a floor; bad input is named.
nccl-probe pairs --input "$DATA/pairs/slow-host.json"
echo "exit $?"
nccl-probe pairs --input "$DATA/pairs/silent-host.json"
echo "exit $?"
nccl-probe pairs --min-bandwidth 100 --json --input - <"$DATA/pairs/slow-host.json"
echo "exit $?"
echo '{"unit":"host","members":["a"],"message_bytes":1,"rounds":1,"pairs":[{"a":0,"b":1}]}' >bad.json
nccl-probe pairs --input bad.json
echo "exit $?"
