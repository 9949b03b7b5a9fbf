# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of slurm/ that end_to_end does not run: probe.sbatch, prolog, epilog, health check, the
# settings of conf/, and job-guard check about this very cluster.
SLURM_FILES=$(cd "${LAB_SH%/*}/../../../slurm" && pwd)

export PROBE_END=4KiB # many ranks on few cores
job=$(submit -N3 "$SLURM_FILES/sbatch/probe.sbatch" "$SHARED/probe.txt")
wait_for 180 "probe.sbatch is over" is_over "$job" none
if grep -q 'Segmentation fault' "job-$job.out"; then fail "$(tail -n 40 "job-$job.out")"; fi
expect_line probe.txt '== node checks'
expect_line probe.txt '^ *all-reduce +4096 '
say "ok: probe.sbatch ran: $(state "$job")"

# tokenize.sbatch finds the files of a folder when it runs, in an order that does not vary.
mkdir -p fake clean/b
printf '#!/bin/sh\necho "$@"\n' >fake/tok-shard
chmod +x fake/tok-shard
touch clean/b/x.jsonl.zst clean/a.jsonl clean/a.report clean/manifest.json
expect "inputs of tokenize.sbatch" \
    "$(PATH=$SHARED/fake:$PATH bash "$SLURM_FILES/sbatch/tokenize.sbatch" t.json shards/ clean/)" \
    "-t t.json -o shards/ clean/a.jsonl clean/b/x.jsonl.zst"

# A node that fails its check is drained with the reason; a healthy one is taken back.
sick="gpu.lost GPU 3" event="xid.79 GPU 3"
fake() { # fake NAME CODE [REASON]
    printf '#!/bin/sh\necho "$@" >"%s"\necho "%s"\nexit %s\n' "$SHARED/arguments" \
        "${3:+gpu-health: $3}" "$2" >"fake/gpu-health-$1"
}
fake 0 0
fake 1 1 "$sick"
fake event 1 "$event"
echo >gpu-health.toml
chmod +x fake/*
use() { ln -sf "$SHARED/fake/gpu-health-$1" fake/gpu-health; }
on_node() { # on_node HOST SCRIPT: as slurmd runs it, with no environment to speak of
    lab on "$1" env -i SLURM_CONF="$LAB/etc/slurm.conf" SLURMD_NODENAME="$1" \
        LONGHAUL_STATE_DIR="$SHARED/state-$1" LONGHAUL_GPU_HEALTH_CONFIG="$SHARED/gpu-health.toml" \
        LONGHAUL_PATH="$SHARED/fake:/usr/local/bin:/usr/bin:/bin" "$SLURM_FILES/$2"
}
node_state() { sinfo -h -p debug -n "$1" -o '%T %E' | tr -d '*'; } # *: not heard of for a moment

resume() { scontrol update nodename="$1" state=resume; }
drain_by_hand() { scontrol update nodename="$1" state=drain reason="by hand"; }

use 1
on_node n2 healthcheck.sh
expect "a sick node" "$(node_state n2)" "drained gpu-health: $sick"
expect "arguments" "$(cat arguments)" "--context healthcheck --reason --config $SHARED/gpu-health.toml"
use 0
on_node n2 healthcheck.sh
expect "the node healed" "$(node_state n2)" "idle none"
drain_by_hand n2
on_node n2 healthcheck.sh
expect "a drain of somebody else stays" "$(node_state n2)" "drained by hand"
use event
on_node n2 healthcheck.sh
expect "also at an event" "$(node_state n2)" "drained by hand"
resume n2
use 0
on_node n2 healthcheck.sh
expect "which is not forgotten" "$(node_state n2)" "drained gpu-health: $event"
on_node n2 healthcheck.sh
expect "a node with an event is not taken back" "$(node_state n2)" "drained gpu-health: $event"
resume n2
use 1
on_node n2 healthcheck.sh
use event
on_node n2 healthcheck.sh
expect "an event after another reason" "$(node_state n2)" "drained gpu-health: $event"
resume n2
for script in prolog.d/50-gpu-health epilog.d/50-gpu-health; do
    use 0
    on_node n3 "$script" || fail "$script on a healthy node"
    use 1
    code=0
    on_node n3 "$script" || code=$?
    expect "$script on a sick node" "$code $(node_state n3)" "1 drained gpu-health: $sick"
    use event
    on_node n3 "$script" || true
    use 1
    on_node n3 "$script" || true
    expect "$script keeps an event" "$(node_state n3)" "drained gpu-health: $event"
    resume n3
    drain_by_hand n3
    code=0
    on_node n3 "$script" || code=$?
    expect "$script on a drained node" "$code $(node_state n3)" "1 drained by hand"
    resume n3
done

# job-guard check: this cluster passes; only its short KillWait and local disk are warned of.
lab run job-guard check --run "$SHARED/run" >check.txt || fail "job-guard check: $?"
expect_line check.txt '^warn +slurm.kill_wait'
expect_line check.txt '^ok +slurm.preemption +partition debug'
if grep -q '^fail' check.txt; then fail "$(cat check.txt)"; fi
