#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm/sbatch/dedup-array.sbatch with an sbatch that runs each task at once.
# shellcheck source=tests/cli/dedup-minhash/corpus.inc
. "$CASE_DIR/corpus.inc"
mkdir in bin
for k in 1 2 3; do make_corpus $k 500 >in/$k.jsonl; done
dedup-minhash -q -o want in
cat >bin/sbatch <<'X'
#!/usr/bin/env bash
last=0 array=() script=()
while [ $# -gt 0 ]; do
    case $1 in
        --array=0-*) last=${1#--array=0-} array=(1) ;;
        --dependency=*) dependency=$1 ;;
        -*) ;;
        *) script=("$@"); break ;;
    esac
    shift
done
number=$(($(cat jobs 2>/dev/null || echo 100) + 1))
echo $number >jobs
echo "$number ${script[2]} 0-$last $dependency" >>submitted
for ((task = last; task >= 0; --task)); do
    export SLURM_JOB_ID=$number SLURM_MEM_PER_NODE=2048 SLURM_JOB_NODELIST=n1
    if [ ${#array[@]} -gt 0 ]; then
        export SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=$last \
            SLURM_ARRAY_TASK_COUNT=$((last + 1)) SLURM_ARRAY_TASK_STEP=1
    fi
    bash "${script[@]}" 2>>log || exit 1
done
echo "$number;cluster"
X
chmod +x bin/sbatch
export PATH=$PWD/bin:$PATH
script=$CASE_DIR/../../../slurm/sbatch/dedup-array.sbatch
DEDUP_OPTIONS="-q --units 3 --splits 2" bash "$script" 4 work out/ in
cat submitted
diff -r want out && echo "the bytes of run"
ls out.report.json
bash "$script" 4 work 2>/dev/null || echo "exit $?"
