# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# A lab whose driver is killed with -9 ends by itself, and leaves no process behind.
(
    export LAB=$SHARED/second LAB_NODES=2 LAB_PORT=$((LAB_PORT + 50))
    exec "$LAB_SH" with sleep 300
) &
driver=$!
wait_for 60 "the second lab is up" test -e "$SHARED/second/ready"
kill -9 "$driver"
wait "$driver" 2>/dev/null || true
is_gone() { # zombies have no environment
    ! grep -qzxF "LAB=$SHARED/second" /proc/[0-9]*/environ 2>/dev/null
}
wait_for 20 "nothing of the second lab is left" is_gone
say "ok: nothing is left of a lab whose driver was killed"
expect "the first lab lives on" "$(sinfo -h -p debug -o '%D %T')" "$LAB_NODES idle"
