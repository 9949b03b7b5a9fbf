// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <vector>

#include "lib/ops/ops.h"
#include "lib/train/reporter.h"

namespace longhaul::train {

double measure_matmul_flops(tensor::DType dtype) {
    constexpr int64_t kSize = 512;  // large enough to leave the caches, some milliseconds
    constexpr int kRuns = 5;        // the best one: others may be disturbed
    std::vector<double> a(kSize * kSize), b(kSize * kSize),
        c(kSize * kSize);  // wide enough for all
    kernels::MatmulArgs args;
    args.dtype = dtype;
    args.out_dtype = dtype;
    args.m = args.n = args.k = args.lda = args.ldb = args.ldc = kSize;
    args.a = a.data();
    args.b = b.data();
    args.c = c.data();
    auto stream = kernels::Stream::cpu();
    double best_s = 1e9;
    for (int run = 0; run <= kRuns; ++run) {
        const auto start = std::chrono::steady_clock::now();
        ops::matmul(stream, args);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (run > 0) best_s = std::min(best_s, taken.count());  // the first one creates the kernel
    }
    return 2.0 * kSize * kSize * kSize / best_s;
}

}  // namespace longhaul::train
