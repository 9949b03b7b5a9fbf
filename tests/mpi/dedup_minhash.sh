#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dedup-minhash run --work as several ranks: the bytes of one, resumed with another number of ranks;
# a failure on one rank ends all.
set -u
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export PATH=$LONGHAUL_BIN:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset "${!SLURM_@}"
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$here/../cli/dedup-minhash/corpus.inc"
failed=0
check() {
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
ranks() { local n=$1; shift; timeout 120 mpirun --oversubscribe -n "$n" dedup-minhash "$@"; }

make_inputs 2>/dev/null
dedup-minhash -q -o want --removal-list want.list in 2>/dev/null
for n in 2 4; do
    ranks $n run -q --threads 1 --memory 1400M --work "work-$n" --units 5 --splits 2 -o "out-$n" \
        --removal-list "out-$n.list" --report "report-$n" in 2>/dev/null
    check "$n ranks" diff -r want "out-$n"
    check "$n ranks, list" cmp want.list "out-$n.list"
done
# What 4 ranks began, 3 go on with.
rm -r work-4/cluster work-4/group/00003.lhd work-4/shingles/00001.lhd work-4/apply out-4
ranks 3 run -q --threads 1 --memory 1400M --work work-4 --units 5 --splits 2 -o out-4 in 2>/dev/null
check "resumed" diff -r want out-4
# A damaged file is found by one rank, and ends all.
rm -r work-2/cluster work-2/shingles
printf x | dd of=work-2/group/00001.lhd bs=1 seek=200 conv=notrunc status=none
ranks 2 run -q --threads 1 --memory 1400M --work work-2 --units 5 --splits 2 -o out-x in 2>errors
check "ends" test $? -ne 0
check "names the cause" grep -q "work-2/group/00001.lhd: .*damaged" errors
# What is refused is said by one rank.
ranks 3 run --threads 1 --memory 1400M --work work-4 --units 4 --splits 2 -o out-4 in 2>errors
check "another plan" test "$(grep -c 'holds another plan' errors)" -eq 1
ranks 2 run --threads 1 --memory 1400M -o out-5 in 2>errors
check "no --work" grep -q -- "--work" errors
exit $failed
