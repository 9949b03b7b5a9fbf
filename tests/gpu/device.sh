#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a machine with a GPU adds: builds, runs the kernel tests natively, once more under each tool of
# compute-sanitizer, and prints the benchmark table.
#   tests/gpu/device.sh [BUILD]      BUILD: build folder, default build-device
# Environment: LONGHAUL_GPU_ARCHS, for example "90a", builds for that alone (faster).
# The last line is "N passed, N failed, N skipped". About 3 minutes on 16 cores; nothing is installed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 3
build=${1:-build-device}
passed=0 failed=0 skipped=0

run() {  # NAME COMMAND...
    local name=$1 started=$SECONDS status
    shift
    echo "== $name"
    "$@"
    status=$?
    case $status in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) && echo "FAILED: $name (exit $status)" ;;
    esac
    echo "== $name: exit $status after $((SECONDS - started)) s"
}

if [ ! -e "$build/build.ninja" ]; then
    archs=()
    [ -n "${LONGHAUL_GPU_ARCHS:-}" ] && archs=("-Dgpu_archs=$LONGHAUL_GPU_ARCHS")
    meson setup "$build" -Dgpu=enabled -Dbuildtype=release "${archs[@]}" || exit 3
fi
targets=(tests/gpu/gpu_kernels_test tests/gpu/gpu_kernels_bench)
ninja -C "$build" "${targets[@]}" || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv

test=$build/tests/gpu/gpu_kernels_test
run "kernel tests" "$test"
if command -v compute-sanitizer >/dev/null; then
    # The small cases: the tools slow a kernel down 10 to 100 times.
    for tool in memcheck racecheck synccheck initcheck; do
        run "compute-sanitizer $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 \
            "$test" --test-case='*in place*,*poisons*,*any cut*,*fixed order bits*,*one element*'
    done
else
    echo "skipped: compute-sanitizer is not installed" && skipped=$((skipped + 1))
fi
run "benchmark" "$build/tests/gpu/gpu_kernels_bench"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
