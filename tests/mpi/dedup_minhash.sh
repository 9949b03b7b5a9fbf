#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dedup-minhash run as several ranks, with messages only and with --work: the bytes of one process;
# a failure on one rank ends all; killed and run again, the same bytes.
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
memory=(--memory 1400M)
check() {
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
ranks() {
    local n=$1
    shift
    timeout 120 mpirun --oversubscribe -n "$n" dedup-minhash run --threads 1 "${memory[@]}" "$@"
}

make_inputs 2>/dev/null
dedup-minhash -q -o want --removal-list want.list in 2>/dev/null

# --- messages only
for n in 2 4; do
    ranks $n -q -o "out-$n" --removal-list "out-$n.list" in 2>errors || cat errors
    check "$n ranks" diff -r want "out-$n"
    check "$n ranks, list" cmp want.list "out-$n.list"
done
check "bad records are told once" test "$(grep -c 'in/3.jsonl:1051' errors)" -eq 1
check "complete already" grep -q "complete already" <(ranks 3 -o out-2 in 2>&1)
dedup-minhash -q -o want-keep --keep score,length --annotate fate in 2>/dev/null
ranks 3 -q -o out-keep --keep score,length --annotate fate in 2>/dev/null
check "3 ranks, keep rule" diff -r want-keep out-keep
dedup-minhash -q -o want-file.jsonl in/1.jsonl
ranks 3 -q -o out-file.jsonl in/1.jsonl
check "one file" cmp want-file.jsonl out-file.jsonl
check "one file's manifest" test -s out-file.jsonl.manifest.json
check "nothing left" test -z "$(find . -maxdepth 1 -name '.out-file*')"
# Each rank has a temporary folder of its own.
# shellcheck disable=SC2016 # for the shells of the ranks
OWN_TMP='TMPDIR=$PWD/tmp-$OMPI_COMM_WORLD_RANK; mkdir -p $TMPDIR; export TMPDIR; exec dedup-minhash "$@"'
timeout 120 mpirun --oversubscribe -n 4 bash -c "$OWN_TMP" run -q --threads 1 --memory 1250M \
    -o out-tmp in 2>/dev/null
check "folders of their own" diff -r want out-tmp
check "nothing left there" test -z "$(find tmp-* -type f)"

# A damaged file is found by one rank, and ends all.
cp -r in damaged
head -c 2000 in/5.jsonl.zst >damaged/5.jsonl.zst
ranks 4 -q -o out-damaged damaged 2>errors
check "ends with 3" test $? -eq 3
check "names the cause" grep -q "error: damaged/5.jsonl.zst" errors
check "no manifest" test ! -e out-damaged/manifest.json
sed 's/"text":"/"text":[],"x":"/' in/2.jsonl >damaged/2.jsonl
rm damaged/5.jsonl.zst
ranks 4 -q -o out-damaged damaged 2>errors
check "too many bad records" test $? -eq 3
check "said once" test "$(grep -c 'error: .*--max-bad-records' errors)" -eq 1
# What is refused is said by one rank.
ranks 3 in 2>errors
check "no output" test "$(grep -c 'inputs need -o OUT' errors)" -eq 1
ranks 2 in/1.jsonl 2>errors
check "stdout" grep -q "several ranks cannot write one stream; give -o OUT" errors
ranks 2 -o out-x --against want in 2>errors
check "index" grep -q "several ranks need --work DIR for --against" errors
ranks 2 -q -o out-2 --threshold 0.9 in 2>errors
check "another output" test "$(grep -c 'out-2 was made differently' errors)" -eq 1

# What all ranks would print alike is printed once.
check "plan" test "$(ranks 2 --dry-run -o out-x in 2>/dev/null | grep -c '^14 bands')" -eq 1
check "explanation" test "$(mpirun --oversubscribe -n 2 dedup-minhash explain | grep -c '^preset')" -eq 1
# A message names its rank once.
ranks 2 in 2>errors
check "rank" grep -q "^dedup-minhash: rank 0: error: [^r]" errors
mpirun --oversubscribe -n 2 dedup-minhash spans -q -o out-x in 2>errors
check "spans" grep -q "2 ranks would all do the same; start one" errors
mpirun --oversubscribe -n 2 dedup-minhash sign -q work-x 2>errors
check "a stage" grep -q "2 ranks would all do the same; give each its --task I/N" errors

# One rank is killed while it works: all end, and the next run writes the same.
make_corpus 12 6000 >some.jsonl
mkdir long spill
for k in 1 2 3 4; do for copy in 1 2 3 4; do sed "s/\"text\":\"/&part$copy$k /" some.jsonl; done >long/$k.jsonl; done
memory=(--max-line 64KiB --memory 26MiB --tmp-dir spill) # keys are spilled early in the first reading
dedup-minhash -q --threads 1 "${memory[@]}" -o want-long long
has_ended() { ! kill -0 "$job" 2>/dev/null; }
# Spilled keys are in files without a name. (A rank that dies in MPI_Init makes Open MPI 4.1 hang.)
is_at_work() { [ -n "$victim" ] && find "/proc/$victim/fd" -lname "$PWD/spill/*" 2>/dev/null | grep -q .; }
for delay in 0 0.1; do
    rm -rf out-killed
    timeout 100 mpirun --oversubscribe -n 4 dedup-minhash run -q --threads 1 "${memory[@]}" \
        -o out-killed long 2>/dev/null &
    job=$! victim=
    until is_at_work || has_ended; do
        launcher=$(pgrep -P $job -x mpirun)
        victim=$(pgrep -P "${launcher:-$job}" -x dedup-minhash | tail -n 1)
        sleep 0.005
    done
    sleep $delay
    [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
    wait $job 2>/dev/null
    ended=$?
    [ $delay != 0 ] || check "all end" test $ended -ne 0 -a $ended -ne 124
    ranks 3 -q -o out-killed long 2>/dev/null
    check "killed after $delay s, run again" diff -r want-long out-killed
    check "nothing else is left" test -z "$(find out-killed -name '.*' -type f)"
done

# --- work directory
memory=(--memory 1400M)
for n in 2 4; do
    rm -r "out-$n" "out-$n.list"
    ranks $n -q --work "work-$n" --units 5 --splits 2 -o "out-$n" --removal-list "out-$n.list" --report "report-$n" \
        in 2>/dev/null
    check "$n ranks, work" diff -r want "out-$n"
    check "$n ranks, work, list" cmp want.list "out-$n.list"
done
# What 4 ranks began, 3 go on with.
rm -r work-4/cluster work-4/group/00003.lhd work-4/shingles/00001.lhd work-4/apply out-4
ranks 3 -q --work work-4 --units 5 --splits 2 -o out-4 in 2>/dev/null
check "resumed" diff -r want out-4
# A damaged file is found by one rank, and ends all.
rm -r work-2/cluster work-2/shingles
printf x | dd of=work-2/group/00001.lhd bs=1 seek=200 conv=notrunc status=none
ranks 2 -q --work work-2 --units 5 --splits 2 -o out-x in 2>errors
check "ends" test $? -ne 0
check "names the cause" grep -q "work-2/group/00001.lhd: .*damaged" errors
# What is refused is said by one rank.
ranks 3 --work work-4 --units 4 --splits 2 -o out-4 in 2>errors
check "another plan" test "$(grep -c 'holds another plan' errors)" -eq 1
exit $failed
