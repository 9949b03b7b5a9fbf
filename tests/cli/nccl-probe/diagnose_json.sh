# SPDX-License-Identifier: BSD-3-Clause
cd "$DATA/nccl-logs" || exit 3
nccl-probe diagnose --json shm-full.log
