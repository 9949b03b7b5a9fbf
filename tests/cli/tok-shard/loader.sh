# SPDX-License-Identifier: BSD-3-Clause
# The samples of a run, and the proof of their order.
cp "$DATA/tokshard/corpus.jsonl" c.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o data c.jsonl
head -n 40 c.jsonl >d.jsonl
tok-shard -q -t "$DATA/token/hf_gpt2.json" -o more d.jsonl
tok-shard loader data --seq-len 64 --global-batch 3 --skip 1
tok-shard loader data --seq-len 256 --global-batch 2 --packing best-fit --from 5 --json
tok-shard loader data --seq-len 64 --global-batch 2 --order sequential --mask-boundaries --from 1
tok-shard loader data --seq-len 64 --global-batch 1 --attention document --json
tok-shard loader --check data more --weight 0.7 --weight 0.3 --seq-len 64 --steps 60 --skip 100-120
tok-shard loader --check data --seq-len 64 --steps 60 --order block --order-block 8 --order-window 4 --json
tok-shard loader --check data more --weight 2 --weight 1 --seq-len 64 --steps 20 --order megatron
tok-shard loader data --seq-len 64 --global-batch 2 --order megatron
mkdir run
printf '[job]\nseed = 5\n[data]\ntrain = ["data", "more"]\nweights = [3.0, 1.0]\nseq_len = 32\nglobal_batch = 6\npacking = "best-fit"\nskip = ["9-10"]\n' > run/run.toml
tok-shard loader --check --run run --steps 30
tok-shard loader --check data --seq-len 64 --global-batch 1 # 1000 steps
tok-shard loader data --seq-len 64 --global-batch 2 --order megatron --skip 1 --from 1
mkdir odd
for change in 's/3.0, 1.0/3.0/' 's/seq_len = 32/seq_len = -5/' '/seq_len/d' 's/packing.*/order = "megatron"/; s/^\[data/steps = 4\n[data/'; do
    sed "$change" run/run.toml >odd/run.toml
    tok-shard loader --run odd
    echo "exit $?"
done
tok-shard loader --bench data --seq-len 64 --steps 2 | sed 's/[0-9.]*[KMG]* tokens.*/N tokens/'
for wrong in "" "data --weight 1 --weight 2" "data --weight x" "data --order random" \
    "data more --order megatron --packing best-fit" "data --seq-len 100000" "nothing" "data --run run" \
    "--run run --seq-len 8" "--run run --attention document" "data --check --bench" \
    "data more --weight 1e308 --weight 1e308" "data --seed 9223372036854775808" "data --check --from 3" \
    "data --from 18446744073709551615" "data --packing best-fit --seq-len 1073741824" \
    "data --mask-id 50257" "data --loss-between 5 --loss-between 60000" "data --mask-id x"; do
    # shellcheck disable=SC2086  # several words
    tok-shard loader $wrong
    echo "exit $?"
done
