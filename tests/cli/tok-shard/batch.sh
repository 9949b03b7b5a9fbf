# SPDX-License-Identifier: BSD-3-Clause
# The documents of a training step, from a run directory.
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o data c.jsonl
mkdir run
printf '[job]\nseed = 5\n[data]\ntrain = ["data"]\nseq_len = 64\nskip = ["9-10"]\n' > run/run.toml
echo '{"schema":1,"step":1,"phase":0,"first_sample":0,"last_sample":3,"num_samples":4,"loss":5}' > run/metrics.jsonl
echo '{"schema":1,"step":2,"phase":0,"first_sample":8,"last_sample":13,"num_samples":4,"loss":4}' >> run/metrics.jsonl
echo '{"schema":1,"step":3,"phase":1,"first_sample":0,"last_sample":3,"num_samples":4,"loss":4}' >> run/metrics.jsonl
echo '{"schema":1,"step":5,"phase":0,"first_sample":0,"last_sample":3,"num_samples":4,"seq_len":32}' >> run/metrics.jsonl
echo '{"schema":1,"step":6,"phase":0,"first_sample":0,"last_sample":3,"num_samples":4,"data_xxh3_128":"00"}' >> run/metrics.jsonl
printf '{"schema":1,"st' >> run/metrics.jsonl
tok-shard batch --run run --step 1 --width 40
tok-shard batch --run run --step 2 --sample 1 --json
for step in 3 4 5 6; do tok-shard batch --run run --step $step; echo "exit $?"; done
tok-shard batch --run run --step 2 --sample 9
echo "exit $?"
cd run || exit
tok-shard batch --run . --step 1
echo "exit $?"
tok-shard loader --run .
echo "exit $?"
