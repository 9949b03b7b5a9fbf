# SPDX-License-Identifier: BSD-3-Clause
# A signal: saved, 75. A stop file: saved, 93, and nothing starts while it is there.
. "$CASE_DIR/prepare.inc"
sed -i 's/^steps = .*/steps = 1000000/; s/^every = .*/every = 0/' run.toml
wait_for() { for _ in $(seq 600); do [ -e "$1" ] && return; sleep 0.05; done; echo "no $1"; }
for signal in TERM USR1 USR2 INT HUP; do
    # A background job of a script ignores INT unless it has a job table of its own.
    set -m
    train-run -q --threads 2 run.toml --run run &
    pid=$!
    set +m
    wait_for run/progress.json
    kill -s "$signal" "$pid"
    wait "$pid"
    echo "$signal: exit code $?, $(member run/exit.json cause) $(member run/exit.json code)"
    [ "$(member run/exit.json step)" = "$(member run/exit.json committed_step)" ] || echo "not saved"
    rm run/progress.json
done
# ^C also ends the tee(1) that the log goes to.
{ train-run --threads 2 run.toml --run run 2>&1 & echo $! >pid; wait $!; echo $? >code; } | head -n 1 >/dev/null &
wait_for run/progress.json
sleep 0.2
kill -s INT "$(cat pid)"
wait
echo "closed log: exit code $(cat code), $(member run/exit.json cause) $(member run/exit.json code)"
rm run/progress.json
train-run -q --threads 2 run.toml --run run &
pid=$!
wait_for run/progress.json
touch run/stop
wait "$pid"
echo "stop: exit code $?, $(member run/exit.json cause) $(member run/exit.json code)"
train run.toml --run run
ls run
