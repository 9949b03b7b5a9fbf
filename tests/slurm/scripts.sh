# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of slurm/ that end_to_end does not run: probe.sbatch, prolog, epilog, health check, the
# settings of conf/, and job-guard check about this very cluster.
SLURM_FILES=$(cd "${LAB_SH%/*}/../../../slurm" && pwd)

export PROBE_END=4KiB # many ranks on few cores
for try in 1 2 3; do # Open MPI 4.1.4 sometimes crashes in its first connections on a busy machine
    job=$(submit -N3 "$SLURM_FILES/sbatch/probe.sbatch" "$SHARED/probe.txt")
    wait_for 180 "probe.sbatch is over" is_over "$job" none
    grep -q 'Segmentation fault' "job-$job.out" || break
    say "again: Open MPI crashed in try $try"
done
expect_line probe.txt '== node checks'
expect_line probe.txt '^ *all-reduce +4096 '
say "ok: probe.sbatch ran: $(state "$job")"

# A node that fails its check is drained with the reason; a healthy one is taken back.
mkdir -p fake
for result in 0 1; do
    printf '#!/bin/sh\necho "%s"\nexit %s\n' "$([ $result = 0 ] || echo 'gpu.lost GPU 3')" $result \
        >"fake/gpu-health-$result"
done
chmod +x fake/*
use() { ln -sf "$SHARED/fake/gpu-health-$1" fake/gpu-health; }
on_node() { # on_node HOST SCRIPT: as slurmd runs it, with no environment to speak of
    lab on "$1" env -i SLURM_CONF="$LAB/etc/slurm.conf" SLURMD_NODENAME="$1" \
        LONGHAUL_PATH="$SHARED/fake:/usr/local/bin:/usr/bin:/bin" "$SLURM_FILES/$2"
}
node_state() { sinfo -h -p debug -n "$1" -o '%T %E' | tr -d '*'; } # *: not heard of for a moment

use 1
on_node n2 healthcheck.sh
expect "a sick node" "$(node_state n2)" "drained gpu-health: gpu.lost GPU 3"
use 0
on_node n2 healthcheck.sh
expect "the node healed" "$(node_state n2)" "idle none"
scontrol update nodename=n2 state=drain reason="by hand"
on_node n2 healthcheck.sh
expect "a drain of somebody else stays" "$(node_state n2)" "drained by hand"
scontrol update nodename=n2 state=resume
for script in prolog.d/50-gpu-health epilog.d/50-gpu-health; do
    use 0
    on_node n3 "$script" || fail "$script on a healthy node"
    use 1
    code=0
    on_node n3 "$script" || code=$?
    expect "$script on a sick node" "$code $(node_state n3)" "1 drained gpu.lost GPU 3"
    scontrol update nodename=n3 state=resume
done

# job-guard check: this cluster passes; only its short KillWait and local disk are warned of.
lab run job-guard check --run "$SHARED/run" >check.txt || fail "job-guard check: $?"
expect_line check.txt '^warn +slurm.kill_wait'
expect_line check.txt '^ok +slurm.preemption +partition debug'
if grep -q '^fail' check.txt; then fail "$(cat check.txt)"; fi
