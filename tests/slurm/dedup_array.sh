# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# dedup-array.sbatch as it stands: the stages as job arrays over several hosts, started again over
# finished work, and the same run as one MPI job on four hosts. All give the bytes of a plain run.
SCRIPT=$(cd "${LAB_SH%/*}/../../../slurm/sbatch" && pwd)/dedup-array.sbatch
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "${LAB_SH%/*}/../../cli/dedup-minhash/corpus.inc"
make_inputs
lab run env -C "$SHARED" dedup-minhash -q -o plain in || fail "a plain run: $?"

in_stages() { # in_stages TASKS OUTPUT: prints the jobs
    lab run env -C "$SHARED" "SBATCH_OPTIONS=--exclusive --cpus-per-task=1 --time=10 --output=$SHARED/job-%A_%a.out" \
        DEDUP_OPTIONS="--units 5 --splits 2" bash "$SCRIPT" "$1" work "$2" in
}
equal_to_plain() { diff -r -x manifest.json plain "$1" >differences || fail "$1: $(head -n 5 differences)"; }

in_stages 3 staged >jobs.txt 2>plan.txt || fail "dedup-array.sbatch: $(cat plan.txt)"
expect "jobs" "$(cut -d: -f1 jobs.txt | tr '\n' ' ')" "sign exact group shingles cluster apply "
last=$(tail -n 1 jobs.txt | grep -oE '[0-9]+$')
array_is_over() { ! squeue -h -j "$last" -t PENDING,RUNNING,COMPLETING,CONFIGURING -o %T | grep -q .; }
wait_for 240 "the last stage is over" array_is_over
test -s staged/manifest.json || fail "the output is not complete"
equal_to_plain staged
hosts=$(squeue -h -t all -o %N | sort -u | grep -c '^n')
[ "$hosts" -gt 1 ] || fail "all tasks ran on one host"
say "ok: six arrays on $hosts hosts give the bytes of a plain run"

# Again, with another number of tasks: nothing is left to do.
in_stages 2 staged >jobs.txt 2>plan.txt || fail "again: $(cat plan.txt)"
last=$(tail -n 1 jobs.txt | grep -oE '[0-9]+$')
wait_for 240 "the last stage is over again" array_is_over
expect_line "job-${last}_0.out" 'complete already'
say "ok: finished work is not done again"

# One job, four hosts; the exchange goes through the work directory.
job=$(submit -N4 --ntasks-per-node=1 --time=10 --wrap \
    "OMPI_MCA_hwloc_base_binding_policy=none srun --mpi=pmix dedup-minhash run --threads 1 --work ranks-work --units 5 -o ranks in")
wait_state "$job" COMPLETED 240
equal_to_plain ranks
say "ok: four ranks give the bytes of a plain run"

# The same without a work directory: keys and candidates go by messages.
job=$(submit -N4 --ntasks-per-node=1 --time=10 --wrap \
    "OMPI_MCA_hwloc_base_binding_policy=none srun --mpi=pmix dedup-minhash run --threads 1 -o messages in")
wait_state "$job" COMPLETED 240
equal_to_plain messages
say "ok: so they do without a work directory"
