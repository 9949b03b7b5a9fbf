#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# nccl-probe under mpirun: right data at every size, bandwidth formulas on 2 and 4 ranks, pairs of
# hosts that are simulated by name, differing environments, and a rank that hangs.
set -uo pipefail

command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
probe=${LONGHAUL_BIN:?}/nccl-probe
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
complain() { echo "FAIL $*"; failed=1; }
run() { timeout 120 mpirun "$@"; }

# The wrapper gives each rank a host of its own, and whatever else a case wants.
cat >as_host.sh <<'WRAPPER'
#!/usr/bin/env bash
export SLURMD_NODENAME=h$OMPI_COMM_WORLD_RANK
[ "$OMPI_COMM_WORLD_RANK" = "${ODD_RANK:-}" ] && export NCCL_ALGO=Tree
if [ "$OMPI_COMM_WORLD_RANK" = "${STUCK_RANK:-}" ]; then
    echo $$ >stuck.pid
    (sleep "${STUCK_AFTER:-1}"; kill -STOP $$) &
fi
exec "$@"
WRAPPER
chmod +x as_host.sh

for n in 2 3 4; do
    run -n $n "$probe" sweep all -b 4 -e 1M -f 16 -n 3 -w 1 --json >sweep.json ||
        complain "sweep on $n ranks: exit $?"
    grep -q '"transport":"mpi"' sweep.json || complain "sweep on $n ranks did not use MPI"
    grep -q '"num_wrong":[1-9]' sweep.json && complain "sweep on $n ranks: wrong data"
    [ "$(grep -o '"rank":' sweep.json | wc -l)" -eq $n ] || complain "sweep on $n ranks: not all are listed"
done
# busbw / algbw of all-reduce on 2 ranks is 1, on 4 ranks 1.5: the last row of each.
ratio() { grep -o '"algbw_gb_per_s":[0-9.e+-]*,"busbw_gb_per_s":[0-9.e+-]*' "$1" | tail -n 1 |
    awk -F'[:,]' '{printf "%.3f", $4 / $2}'; }
run -n 2 "$probe" sweep -b 64K -e 64K -n 2 -w 0 --json >two.json
run -n 4 "$probe" sweep -b 64K -e 64K -n 2 -w 0 --json >four.json
[ "$(ratio two.json)" = 1.000 ] || complain "all-reduce busbw on 2 ranks: $(ratio two.json)"
[ "$(ratio four.json)" = 1.500 ] || complain "all-reduce busbw on 4 ranks: $(ratio four.json)"
run -n 2 "$probe" sweep -b 64K -e 64K -n 2 -w 0 --min-busbw 100000 >low.txt 2>&1
[ $? -eq 1 ] || complain "a floor that can not be reached is exit 1"
grep -q sweep.busbw.low low.txt || complain "the floor is not named"

# Four hosts: all six pairs, every one with data that arrived right.
run -n 4 ./as_host.sh "$probe" pairs -s 256K -n 3 --tolerance 0.95 --latency-tolerance 900 --json >pairs.json
grep -q '"members":\["h0","h1","h2","h3"\]' pairs.json || complain "pairs: hosts are not the members"
[ "$(grep -o '"a":' pairs.json | wc -l)" -eq 6 ] || complain "pairs: not six pairs"
grep -qE '"(missing|wrong_data)"' pairs.json && complain "pairs: a pair failed"
# A slow pair of a busy machine is a finding, exit code 1, and not what is asked here.
run -n 3 "$probe" pairs -s 64K -n 2 --unit rank --json >three.json 2>/dev/null
grep -q '"rounds":3' three.json || complain "pairs: three ranks need three rounds"

# One rank with another environment.
ODD_RANK=2 run -n 3 ./as_host.sh "$probe" env >env.txt 2>&1
grep -q 'fail    env.differs  NCCL_ALGO' env.txt || complain "env: the difference is not found"
grep -q 'h2 rank 2' env.txt || complain "env: the rank is not named"

# A rank that stops answering is named, and the others end.
STUCK_RANK=2 STUCK_AFTER=0.7 run -n 4 ./as_host.sh "$probe" pairs -s 64M -n 400 --deadline 3s >stuck.txt 2>&1
code=$?
[ -s stuck.pid ] && kill -KILL "$(cat stuck.pid)" 2>/dev/null
grep -q 'fail    pairs.member.silent  host h2' stuck.txt || { complain "the silent rank is not named (exit $code)"; cat stuck.txt; }
if [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; then complain "a silent rank ends with exit $code"; fi

[ "$failed" -eq 0 ] && echo "nccl-probe over MPI: all right"
exit "$failed"
