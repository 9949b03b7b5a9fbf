#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh FAULTS MODE: runs every wrong kernel with the program FAULTS, built plain, with "address" or
# with "thread" sanitizer, and checks that it is noticed, with the words that tell the developer why.
set -u
faults=$1 mode=$2 failed=0
export ASAN_OPTIONS=detect_leaks=0

expect() {  # NAME PATTERN
    local output status
    output=$("$faults" "$1" 2>&1)
    status=$?
    if [ $status -ne 0 ] && grep -q "$2" <<<"$output"; then
        echo "ok: $1: $2"
    else
        echo "NOT NOTICED: $1 (exit $status, expected '$2'):"
        head -n 20 <<<"$output"
        failed=1
    fi
}

# What the scheduler itself finds, in every build.
expect half_block_barrier 'threads exited before a barrier'
expect divergent_barrier 'divergent barrier: .*different places'
expect shuffle_in_branch 'deadlock: .*waits for ever'
expect lane_outside_mask 'a lane is not in the mask of its warp operation'
expect shared_unwritten 'NaN in the result'
expect misaligned_vector 'misaligned vector access at .*device.cuh'
case $mode in
    plain)
        expect missing_barrier 'schedules differ'
        expect shared_overflow 'thread (.*) of block (0,0,0) left its 240 bytes of dynamic shared memory'
        ;;
    address)
        expect missing_barrier 'schedules differ'
        expect shared_overflow 'heap-buffer-overflow'
        expect global_overflow 'heap-buffer-overflow'
        ;;
    thread)
        expect missing_barrier 'data race'
        expect missing_second_barrier 'data race'
        ;;
esac
exit $failed
