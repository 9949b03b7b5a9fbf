# SPDX-License-Identifier: BSD-3-Clause
# Under mpirun: the same bits as with threads; a rank that fails before the first collective ends all.
command -v mpirun >/dev/null || { echo "no mpirun"; exit 77; }
. "$CASE_DIR/prepare.inc"
# As in tests/mpi/meson.build: mpirun reads freed memory, which meson fills.
export MALLOC_PERTURB_=0
mpi() { mpirun --oversubscribe "$@" 2>mpi.err; }
train run.toml --run threads
mpi -n 2 train-run -q --threads 1 run.toml --run mpi
echo "exit code $?"
losses threads >threads.txt
losses mpi | cmp - threads.txt && echo "losses are equal"
ckpt-reshard diff -q threads/ckpt/step-00000012 mpi/ckpt/step-00000012 >diff.txt
echo "diff $?"
mpi -n 1 train-run -q --threads 1 run.toml --run bad : \
    -n 1 train-run -q --threads 1 run.toml --run bad --set 'data.train=["nowhere"]'
echo "exit code $?"
grep -m1 -o 'error: rank 1: data.train: cannot open nowhere: No such file or directory' mpi.err
member bad/exit.json cause
mpi -n 3 train-run -q --threads 1 run.toml --run bad
echo "exit code $?"
grep -m1 -o 'error: 3 ranks are not .*' mpi.err
mpi -n 2 train-run -q --threads 1 run.toml --run stopped --set job.steps=1000000 &
pid=$!
for _ in $(seq 600); do [ -e stopped/progress.json ] && break; sleep 0.05; done
touch stopped/stop
wait "$pid"
echo "stop: exit code $?, $(member stopped/exit.json code)"
