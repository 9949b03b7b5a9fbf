// SPDX-License-Identifier: BSD-3-Clause
// Times the CUDA kernels on GPU 0 on the shapes of a 1B model: microseconds (median of 50 launches,
// GPU time between events) and bytes moved a second. Compare with the device's memory bandwidth.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "kernels/adamw.h"
#include "kernels/cross_entropy.h"
#include "kernels/matmul.h"
#include "kernels/rmsnorm.h"
#include "lib/base/error.h"
#include "lib/gpu/buffer.h"
#include "lib/gpu/device.h"
#include "lib/gpu/stream.h"

namespace {

using namespace longhaul;
using tensor::BFloat16;

constexpr int64_t kTokens = 8192, kWidth = 2048, kVocab = 50257, kPaddedVocab = 50304;
constexpr int64_t kLossTokens = 4096, kParameters = int64_t{1} << 27;
constexpr int kWarmUps = 5, kLaunches = 50;

class Bench {
 public:
    template <class T>
    T* zeros(int64_t count) {
        buffers_.emplace_back(count * sizeof(T));
        gpu::fill_zero(buffers_.back(), stream_);
        return reinterpret_cast<T*>(buffers_.back().data());
    }
    void release() { buffers_.clear(); }

    /// @param bytes read and written by one launch; @param flops 0 where they do not matter.
    void time(const char* name, double bytes, double flops,
              const std::function<void(kernels::Stream&)>& launch) {
        kernels::Stream op_stream = kernels::Stream::cuda(stream_.native());
        for (int i = 0; i < kWarmUps; ++i) launch(op_stream);
        std::vector<double> milliseconds;
        for (int i = 0; i < kLaunches; ++i) {
            gpu::CudaEvent start(gpu::CudaEvent::Timing::kOn), stop(gpu::CudaEvent::Timing::kOn);
            start.record(stream_);
            launch(op_stream);
            stop.record(stream_);
            stop.synchronize();
            milliseconds.push_back(stop.elapsed_ms(start));
        }
        std::sort(milliseconds.begin(), milliseconds.end());
        const double median = milliseconds[kLaunches / 2] * 1e-3;
        const double spread =
            (milliseconds[kLaunches * 9 / 10] - milliseconds[kLaunches / 10]) * 1e-3;
        std::printf("%-34s %10.1f us  +-%5.1f %%  %8.0f GB/s", name, median * 1e6,
                    50 * spread / median, bytes / median * 1e-9);
        if (flops > 0) std::printf("  %8.1f TFLOP/s", flops / median * 1e-12);
        std::printf("\n");
    }

 private:
    gpu::CudaStream stream_;
    std::vector<gpu::DeviceBuffer<std::byte>> buffers_;
};

void bench_rmsnorm(Bench& bench) {
    const int64_t count = kTokens * kWidth;
    auto* x = bench.zeros<BFloat16>(count);
    auto* residual = bench.zeros<BFloat16>(count);
    auto* out = bench.zeros<BFloat16>(count);
    auto* weight = bench.zeros<BFloat16>(kWidth);
    auto* rstd = bench.zeros<float>(kTokens);
    auto* grad_weight = bench.zeros<float>(kWidth);
    const auto dtype = tensor::DType::kBF16;
    bench.time("rmsnorm forward bf16 8192x2048", 8.0 * count, 0, [&](kernels::Stream& stream) {
        kernels::cuda::rmsnorm_forward(stream, {.dtype = dtype,
                                                .rows = kTokens,
                                                .columns = kWidth,
                                                .x = x,
                                                .residual = residual,
                                                .weight = weight,
                                                .sum = residual,
                                                .out = out,
                                                .rstd = rstd});
    });
    const size_t scratch_bytes =
        kernels::cuda::rmsnorm_backward_scratch_bytes(dtype, kTokens, kWidth);
    auto* scratch = bench.zeros<std::byte>(static_cast<int64_t>(scratch_bytes));
    bench.time("rmsnorm backward bf16 8192x2048", 8.0 * count, 0, [&](kernels::Stream& stream) {
        kernels::cuda::rmsnorm_backward(stream, {.dtype = dtype,
                                                 .rows = kTokens,
                                                 .columns = kWidth,
                                                 .grad_out = out,
                                                 .grad_residual = x,
                                                 .sum = residual,
                                                 .weight = weight,
                                                 .rstd = rstd,
                                                 .grad_sum = x,
                                                 .grad_weight = grad_weight,
                                                 .scratch = scratch,
                                                 .scratch_bytes = scratch_bytes});
    });
    bench.release();
}

void bench_cross_entropy(Bench& bench) {
    auto* logits = bench.zeros<BFloat16>(kLossTokens * kPaddedVocab);
    auto* targets = bench.zeros<int32_t>(kLossTokens);
    auto* losses = bench.zeros<float>(kLossTokens);
    bench.time("cross_entropy bf16 4096x50304", 6.0 * kLossTokens * kPaddedVocab, 0,
               [&](kernels::Stream& stream) {
                   kernels::cuda::cross_entropy(stream, {.dtype = tensor::DType::kBF16,
                                                         .rows = kLossTokens,
                                                         .vocab = kVocab,
                                                         .padded_vocab = kPaddedVocab,
                                                         .logits = logits,
                                                         .targets = targets,
                                                         .losses = losses});
               });
    bench.release();
}

void bench_adamw(Bench& bench) {
    kernels::AdamWArgs args{.grad_dtype = tensor::DType::kBF16,
                            .count = kParameters,
                            .grad = bench.zeros<BFloat16>(kParameters),
                            .master = bench.zeros<float>(kParameters),
                            .m = bench.zeros<float>(kParameters),
                            .v = bench.zeros<float>(kParameters),
                            .weights = bench.zeros<BFloat16>(kParameters),
                            .learning_rate = 1e-3};
    for (const auto rounding : {kernels::Rounding::kNearestEven, kernels::Rounding::kStochastic}) {
        args.rounding = rounding;
        const bool is_stochastic = rounding == kernels::Rounding::kStochastic;
        bench.time(is_stochastic ? "adamw stochastic 134M" : "adamw nearest 134M",
                   28.0 * kParameters, 0,
                   [&](kernels::Stream& stream) { kernels::cuda::adamw(stream, args); });
    }
    bench.release();
}

void bench_matmul(Bench& bench) {
    const int64_t inner = kWidth, outer = 4 * kWidth;
    kernels::MatmulArgs args{.dtype = tensor::DType::kBF16,
                             .out_dtype = tensor::DType::kBF16,
                             .m = kTokens,
                             .n = outer,
                             .k = inner,
                             .transpose_b = true,
                             .a = bench.zeros<BFloat16>(kTokens * inner),
                             .b = bench.zeros<BFloat16>(outer * inner),
                             .c = bench.zeros<BFloat16>(kTokens * outer),
                             .lda = inner,
                             .ldb = inner,
                             .ldc = outer};
    const double bytes = 2.0 * (kTokens * inner + outer * inner + kTokens * outer);
    const double flops = 2.0 * kTokens * outer * inner;
    for (const auto order : {kernels::MatmulOrder::kFastest, kernels::MatmulOrder::kFixedOrder}) {
        args.order = order;
        const bool is_fixed = order == kernels::MatmulOrder::kFixedOrder;
        bench.time(is_fixed ? "matmul fixed order bf16" : "matmul cuBLASLt bf16", bytes, flops,
                   [&](kernels::Stream& stream) { kernels::cuda::matmul(stream, args); });
    }
    bench.release();
}

}  // namespace

int main() {
    const gpu::DeviceSurvey survey = gpu::survey_devices();
    if (survey.devices.empty()) {
        std::printf("skipped: %s\n", survey.reason.c_str());
        return 77;
    }
    std::printf("GPU 0: %s\n", survey.devices.front().name.c_str());
    try {
        Bench bench;
        bench_rmsnorm(bench);
        bench_cross_entropy(bench);
        bench_adamw(bench);
        bench_matmul(bench);
    } catch (const Error& error) {
        std::fprintf(stderr, "gpu_kernels_bench: error: %s\n", error.describe().c_str());
        return 3;
    }
    return 0;
}
