# SPDX-License-Identifier: BSD-3-Clause
# Causes before consequences; compressed logs and stdin give the same.
cd "$DATA/nccl-logs" || exit 3
for log in shm-full flapping-link desync stalled tcp-fallback bootstrap-hang clean; do
    echo "== $log"
    nccl-probe diagnose $log.log
    echo "exit $?"
done
gzip -c shm-full.log | nccl-probe diagnose - | grep -c 'standard input:10:'
