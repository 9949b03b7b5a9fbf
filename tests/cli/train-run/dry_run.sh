# SPDX-License-Identifier: BSD-3-Clause
# The plan needs no data when the vocabulary is given, and writes nothing. ZeRO-2 and ZeRO-3 are
# planned, not run. (What activations take is the model's business and not looked at here.)
printf '[job]\nsteps = 100\n[data]\ntrain = ["none"]\n[model]\nvocab_size = 50257\n' >run.toml
train-run run.toml --dry-run --set parallel.dp_shard=3 |
    grep -vE 'activation|temporary|total'
for zero in 0 1 2 3; do
    train-run run.toml --dry-run --json --set precision.compute=bf16 --set parallel.dp_shard=4 \
        --set parallel.zero=$zero | grep -oE '"(parameter|gradient|master|moment)_bytes":[0-9]*' | tr '\n' ' '
    echo
done
for zero in 2 3; do
    train-run run.toml -q --set parallel.dp_shard=2 --set parallel.zero=$zero --run r
    echo "exit code $?"
done
ls
