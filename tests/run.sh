#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds Longhaul with warnings as errors and runs all tests that this machine can; what it can not
# run is skipped with its reason. The last line is "N passed, N failed, N skipped".
#   tests/run.sh             everything that fits in half an hour on 2 cores
#   tests/run.sh --long      also the long tests (sanitizers, all of clang-tidy, the big end-to-end run)
#   tests/run.sh --sanitize  only: unit, cli and fuzz tests under ASan+UBSan, thread tests under TSan
#   tests/run.sh --no-setup  do not install missing packages
#   tests/run.sh --suite S   only suite S (unit cli mpi gpu slurm fuzz examples checks); repeatable
# Environment: LONGHAUL_TEST_BUILD (build folder, default build-test).
set -euo pipefail
cd "$(dirname "$0")/.."

long=false sanitize_only=false setup=true suites=()
while [ $# -gt 0 ]; do
    case $1 in
        --long) long=true ;;
        --sanitize) sanitize_only=true ;;
        --no-setup) setup=false ;;
        --suite) suites+=(--suite "${2:?--suite wants a name}"); shift ;;
        -h | --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "tests/run.sh: unknown option $1. Try 'tests/run.sh --help'" >&2; exit 2 ;;
    esac
    shift
done

build=${LONGHAUL_TEST_BUILD:-build-test}
logs=()
started=$SECONDS
say() { printf '== %s (%ds)\n' "$*" $((SECONDS - started)); }

configure() {
    local folder=$1
    shift
    [ -e "$folder/build.ninja" ] || meson setup "$folder" -Dwerror=true "$@" >"$folder.setup.log" 2>&1 ||
        { cat "$folder.setup.log"; return 1; }
}

# Runs the suites given in one build folder; failures are counted later from the log.
run_tests() {
    local folder=$1 name=$2
    shift 2
    meson test -C "$folder" --no-rebuild --print-errorlogs --logbase "$name" "$@" || true
    logs+=("$folder/meson-logs/$name.json")
}

$setup && ./setup.sh --deps-only --with-tests

if ! $sanitize_only; then
    say "building in $build"
    configure "$build"
    ninja -C "$build" --quiet || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
    say "testing"
    LONGHAUL_LONG=$($long && echo 1 || echo 0) run_tests "$build" testlog "${suites[@]}"
fi
if $sanitize_only || $long; then
    say "building with ASan and UBSan"
    configure "$build-asan" -Db_sanitize=address,undefined -Db_lundef=false -Dgpu=disabled
    ninja -C "$build-asan" --quiet
    export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    export LSAN_OPTIONS=suppressions=$PWD/tests/support/lsan.supp:print_suppressions=0
    run_tests "$build-asan" asan --suite unit --suite cli --suite fuzz --timeout-multiplier 5
    say "building with TSan"
    configure "$build-tsan" -Db_sanitize=thread -Db_lundef=false -Dgpu=disabled
    ninja -C "$build-tsan" --quiet tests/unit/comm/comm_test tests/unit/shards/shards_test
    export TSAN_OPTIONS=suppressions=$PWD/tests/support/tsan.supp:halt_on_error=1
    run_tests "$build-tsan" tsan comm shards --timeout-multiplier 10
fi
say "done"
exec python3 tests/support/summarise.py "${logs[@]}"
