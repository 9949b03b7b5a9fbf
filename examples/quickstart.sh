#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The whole chain on real text, without Slurm or a GPU: packages and build, deduplication, tokenizer, token
# shards, training on 2 ranks that is killed half way and resumes, another checkpoint layout, export for
# transformers, generated text, and the loss curve. Minutes on 2 cores after the build.
#
#   examples/quickstart.sh [--work DIR] [--steps N] [--small] [--no-setup]
#
# The text is the Perl documentation (package perl-doc; Artistic-1.0 or GPL-1.0+), about 14 MB.
# DIR (default quickstart-run) holds everything made; remove it to start afresh. --small is a run of
# seconds that the tests use.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

work=quickstart-run steps=240 small=false setup=true
while [ $# -gt 0 ]; do
    case $1 in
        --work) work=${2:?--work wants a folder}; shift ;;
        --steps) steps=${2:?--steps wants a number}; shift ;;
        --small) small=true ;;
        --no-setup) setup=false ;;
        -h | --help) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "quickstart.sh: unknown option $1. Try '$0 --help'" >&2; exit 2 ;;
    esac
    shift
done
corpus_bytes=0 vocab=4096 layers=4 hidden=192 ffn=512 seq=128 batch=32
if $small; then corpus_bytes=1500000 vocab=512 layers=2 hidden=64 ffn=128 seq=64 batch=32 steps=120; fi

bold() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
die() { echo "quickstart.sh: error: $*" >&2; exit 3; }

$setup && "$root/setup.sh"
export PATH=${LONGHAUL_BIN:-$root/build/tools}:$PATH
command -v train-run >/dev/null || die "train-run is not built; run ./setup.sh"
mkdir -p "$work"
cd "$work"
started=$SECONDS

prepare_text() {
    bold "Text: the Perl documentation"
    [ -s corpus.jsonl ] ||
        "$root/examples/make_corpus.pl" --max-bytes "$corpus_bytes" >corpus.jsonl.part
    [ -s corpus.jsonl ] || mv corpus.jsonl.part corpus.jsonl
    echo "$(wc -l <corpus.jsonl) documents, $(wc -c <corpus.jsonl) bytes"

    bold "dedup-minhash: exact and near duplicates, verified"
    dedup-minhash -o clean --report dedup.json --show-samples 2 corpus.jsonl
}

make_shards() {
    bold "tok-shard: a byte-level BPE of $vocab tokens, then token shards"
    tok-shard train --vocab-size "$vocab" -o tokenizer.json clean/corpus.jsonl
    tok-shard -t tokenizer.json -o shards clean/corpus.jsonl
    tok-shard verify shards
    tok-shard stats shards
}

write_config() {
    cat >run.toml <<TOML
[job]
steps = $steps

[model]
family = "llama"
num_layers = $layers
hidden = $hidden
num_heads = 4
num_kv_heads = 2
ffn_hidden = $ffn

[data]
train = ["shards"]
seq_len = $seq
global_batch = $batch
micro_batch = 8

[schedule]
kind = "cosine"
lr = 2e-3
min_lr = 2e-4
warmup_steps = $((steps / 12 + 1))

[parallel]
dp_replicate = 2

[checkpoint]
every = $((steps / 6 + 1))
TOML
}

# Starts the training, ends it with SIGKILL once it has passed half way, and starts it again.
train() {
    bold "train-run: $steps steps on 2 ranks; killed with SIGKILL half way"
    if [ ! -e run/exit.json ]; then
        train-run run.toml --run run &
        local pid=$! done_steps=0
        while kill -0 "$pid" 2>/dev/null && [ "$done_steps" -lt $((steps / 2)) ]; do
            sleep 0.05
            done_steps=$(steps_done)
        done
        if kill -9 "$pid" 2>/dev/null; then echo "killed process $pid after step $done_steps"; fi
        wait "$pid" 2>/dev/null || true
    fi
    bold "train-run: the same command again resumes from the newest valid checkpoint"
    train-run run.toml --run run
}

steps_done() {
    if [ -s run/metrics.jsonl ]; then
        sed -n 's/.*"step":\([0-9]*\).*/\1/p' run/metrics.jsonl | tail -n 1
    else
        echo 0
    fi
}

# Draws "step loss" lines as a curve of 64 columns and 14 rows.
loss_curve() {
    sed -n 's/.*"step":\([0-9]*\).*"loss":\([0-9.e+-]*\).*/\1 \2/p' run/metrics.jsonl | awk '
        { loss[$1] = $2; if ($1 > last) last = $1 }   # the last line of a step counts
        END {
            columns = 64; rows = 14; high = -1; low = 1e9
            for (step = 1; step <= last; step++) if (step in loss) {
                column = int((step - 1) * columns / last)
                sum[column] += loss[step]; count[column]++
            }
            for (c in sum) { mean[c] = sum[c] / count[c]; if (mean[c] > high) high = mean[c]; if (mean[c] < low) low = mean[c] }
            for (row = 0; row < rows; row++) {
                line = ""
                for (c = 0; c < columns; c++) {
                    at = (c in mean) && high > low ? int((high - mean[c]) / (high - low) * (rows - 1) + 0.5) : -1
                    line = line (at == row ? "*" : " ")
                }
                printf "%7.3f |%s\n", high - (high - low) * row / (rows - 1), line
            }
            dashes = sprintf("%" columns "s", ""); gsub(/ /, "-", dashes)
            printf "   loss +%s\n        1%*s\n", dashes, columns - 1, "step " last
        }'
}

convert() {
    local last
    last=$(printf 'run/ckpt/step-%08d' "$steps")
    bold "ckpt-reshard: verify, 3 ZeRO shards instead of 2 replicas, and back into one file for transformers"
    ckpt-reshard verify "$last"
    ckpt-reshard run "$last" resharded --to dp_shard=3,zero=1
    ckpt-reshard diff "$last" resharded
    [ -e exported ] || ckpt-reshard export-hf "$last" exported
}

generate() {
    bold "train-run generate"
    train-run generate "$(printf 'run/ckpt/step-%08d' "$steps")" --prompt "=head1 NAME" \
        --max-tokens 60 --temperature 0.8 --seed 1
}

prepare_text
make_shards
write_config
train
convert
generate
bold "Loss"
loss_curve
bold "Summary ($((SECONDS - started)) s)"
echo "deduplicated text   $work/clean      report $work/dedup.json"
echo "token shards        $work/shards     tokenizer $work/tokenizer.json"
echo "run directory       $work/run        metrics, checkpoints, exit record"
echo "exported model      $PWD/exported    AutoModelForCausalLM.from_pretrained(\"$PWD/exported\")"
