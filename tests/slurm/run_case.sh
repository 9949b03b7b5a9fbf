#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_case.sh CASE.sh: runs one test of the suite `slurm` against a private cluster (lab/lab.sh).
# CASE sees the functions of case.sh, $LAB, $SHARED (a folder that all hosts see) and, first in
# PATH, the built programs. Exit 77: skipped, with the reason on stdout.
# Environment: LONGHAUL_BIN (folder of the built programs), LONGHAUL_SUPPORT (of test programs),
# LAB_RECIPE=netns|plain, LAB_KEEP=1 (keep the cluster's files and print where they are).
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
CASE=$(readlink -f "$1")
export LAB_SH=$HERE/lab/lab.sh
if ! reason=$("$LAB_SH" recipe); then
    echo "$reason"
    exit 77
fi
WORK=$(mktemp -d "${TMPDIR:-/tmp}/lab-XXXXXX")
finish() {
    if [ -n "${LAB_KEEP:-}" ]; then
        echo "kept: $WORK"
    else
        rm -rf "$WORK"
    fi
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

export LAB=$WORK/lab SHARED=$WORK/lab/shared LAB_NODES=${LAB_NODES:-5}
export LAB_PORT=${LAB_PORT:-$((20000 + RANDOM % 20000))} # recipe plain: several labs at once
export LONGHAUL_BIN=${LONGHAUL_BIN:-$HERE/../../build/tools}
export PATH=$LONGHAUL_BIN:${LONGHAUL_SUPPORT:-$HERE/../../build/tests/support}:$PATH
# Hosts have their own /tmp: what lies there must be shared to be seen.
LAB_SHARE=${LAB_SHARE:-}
for folder in "$HERE/../.." "$LONGHAUL_BIN/.."; do
    folder=$(readlink -f "$folder")
    case $folder in /tmp/*) LAB_SHARE="$LAB_SHARE $folder" ;; esac
done
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores
export LAB_SHARE XDG_STATE_HOME=$SHARED/state
unset "${!SLURM_@}" "${!SBATCH_@}"

# shellcheck disable=SC2016 # expanded by the inner shell
"$LAB_SH" around bash -c 'set -eu; . "$1"; cd "$SHARED"; . "$2"' case "$HERE/case.sh" "$CASE"
