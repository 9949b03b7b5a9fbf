# SPDX-License-Identifier: BSD-3-Clause
# A job-guard that is killed leaves no command at work: it gets SIGTERM.
job-guard -- sh -c 'trap "echo told >told; exit" TERM; echo >ready; sleep 60 & wait' 2>log &
guard=$!
disown # else bash tells of its end
until [ -e ready ]; do sleep 0.1; done
kill -9 $guard
for _ in $(seq 100); do [ -e told ] && break; sleep 0.1; done
cat told
