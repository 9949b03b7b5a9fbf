# SPDX-License-Identifier: BSD-3-Clause
# The second job that writes one run directory is refused and told who holds it.
. "$CASE_DIR/prepare.inc"
sed -i 's/^steps = .*/steps = 1000000/' run.toml
train-run -q --threads 2 run.toml --run run &
pid=$!
for _ in $(seq 600); do [ -e run/progress.json ] && break; sleep 0.05; done
train run.toml --run run
kill -TERM "$pid"
wait "$pid"
echo "first: exit code $?"
# Left by a killed one, the lock is taken over.
train-run -q --threads 2 run.toml --run run &
pid=$!
for _ in $(seq 600); do [ -e run/lock ] && break; sleep 0.05; done
{ kill -KILL "$pid" && wait "$pid"; } 2>/dev/null # in one: bash tells of the end when it sees it
step=$(($(member run/progress.json step) + 2))
train run.toml --run run --set job.steps=$step
