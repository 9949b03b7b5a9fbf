# SPDX-License-Identifier: BSD-3-Clause
# Updates that are not finite are left out; too many in a row end the run, the last checkpoint is good.
. "$CASE_DIR/prepare.inc"
train run.toml --run run --set job.steps=4
train run.toml --run run --set schedule.lr=1e38 --set optim.clip=0.0 --set guards.max_skipped=2
member run/exit.json cause
grep -c '"event":"non-finite"' run/faults.jsonl
