// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm and sums over rows on CUDA, against the CPU backend.
#include "kernels/layernorm.h"

#include "kernels/reduce.h"
#include "tests/gpu/kernels/kernel_test.h"

namespace longhaul::kernels::test {

namespace {

template <class T>
struct Inputs {
    int64_t rows, columns;
    std::vector<T> x, residual, weight, bias, grad_out, grad_residual;
    std::vector<Accumulator<T>> grad_weight, grad_bias;

    Inputs(int64_t rows, int64_t columns)
        : rows(rows),
          columns(columns),
          x(random_values<T>(rows * columns, 2, 51)),
          residual(random_values<T>(rows * columns, 1, 52)),
          weight(random_values<T>(columns, 1, 53)),
          bias(random_values<T>(columns, 1, 54)),
          grad_out(random_values<T>(rows * columns, 1, 55)),
          grad_residual(random_values<T>(rows * columns, 1, 56)),
          grad_weight(random_values<Accumulator<T>>(columns, 1, 57)),
          grad_bias(random_values<Accumulator<T>>(columns, 1, 58)) {}
};

template <class T>
struct Outputs {
    std::vector<T> sum, out, grad_sum;
    std::vector<Accumulator<T>> mean, rstd, grad_weight, grad_bias;
    Hash128 hash() const { return hash_of(sum, out, grad_sum, mean, rstd, grad_weight, grad_bias); }
};

template <class T>
Outputs<T> run(Device& device, const Inputs<T>& in) {
    const auto x = device.upload(in.x), residual = device.upload(in.residual),
               weight = device.upload(in.weight), bias = device.upload(in.bias),
               grad_out = device.upload(in.grad_out),
               grad_residual = device.upload(in.grad_residual);
    const auto grad_weight = device.upload(in.grad_weight), grad_bias = device.upload(in.grad_bias);
    const auto sum = device.make<T>(in.x.size()), out = device.make<T>(in.x.size());
    const auto mean = device.make<Accumulator<T>>(in.rows),
               rstd = device.make<Accumulator<T>>(in.rows);
    cuda::layernorm_forward(device.stream(), {.dtype = kDType<T>,
                                              .rows = in.rows,
                                              .columns = in.columns,
                                              .x = x.data(),
                                              .residual = residual.data(),
                                              .weight = weight.data(),
                                              .bias = bias.data(),
                                              .sum = sum.data(),
                                              .out = out.data(),
                                              .mean = mean.data(),
                                              .rstd = rstd.data()});
    cuda::layernorm_backward(device.stream(), {.dtype = kDType<T>,
                                               .rows = in.rows,
                                               .columns = in.columns,
                                               .grad_out = grad_out.data(),
                                               .grad_residual = grad_residual.data(),
                                               .sum = sum.data(),
                                               .weight = weight.data(),
                                               .mean = mean.data(),
                                               .rstd = rstd.data(),
                                               .grad_sum = grad_out.data(),  // in place
                                               .grad_weight = grad_weight.data(),
                                               .grad_bias = grad_bias.data()});
    return {device.download(sum),      device.download(out),  device.download(grad_out),
            device.download(mean),     device.download(rstd), device.download(grad_weight),
            device.download(grad_bias)};
}

template <class T>
Outputs<T> run_cpu(const Inputs<T>& in) {
    Stream stream = Stream::cpu();
    const std::vector<Accumulator<T>> rows(in.rows);
    Outputs<T> got{in.x, in.x, in.x, rows, rows, in.grad_weight, in.grad_bias};
    cpu::layernorm_forward(stream, {.dtype = kDType<T>,
                                    .rows = in.rows,
                                    .columns = in.columns,
                                    .x = in.x.data(),
                                    .residual = in.residual.data(),
                                    .weight = in.weight.data(),
                                    .bias = in.bias.data(),
                                    .sum = got.sum.data(),
                                    .out = got.out.data(),
                                    .mean = got.mean.data(),
                                    .rstd = got.rstd.data()});
    cpu::layernorm_backward(stream, {.dtype = kDType<T>,
                                     .rows = in.rows,
                                     .columns = in.columns,
                                     .grad_out = in.grad_out.data(),
                                     .grad_residual = in.grad_residual.data(),
                                     .sum = got.sum.data(),
                                     .weight = in.weight.data(),
                                     .mean = got.mean.data(),
                                     .rstd = got.rstd.data(),
                                     .grad_sum = got.grad_sum.data(),
                                     .grad_weight = got.grad_weight.data(),
                                     .grad_bias = got.grad_bias.data()});
    return got;
}

}  // namespace

TEST_CASE_TEMPLATE("cuda layernorm: equals the CPU backend, same bits in all schedules", T, float,
                   BFloat16, double) {
    // One vector; more rows than warps; more vectors than threads.
    const int64_t wide = std::is_same_v<T, BFloat16> ? 2064 : 1040;
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 8}, {37, 48}, {3, wide}}) {
        CAPTURE(columns);
        const Inputs<T> in(rows, columns);
        const auto gpu = in_all_schedules([&](Device& device) { return run(device, in); });
        const auto cpu = run_cpu(in);
        const double accumulate = 48 * kHalfUlp<Accumulator<T>>;
        const double tolerance = 2 * kHalfUlp<T> + accumulate;
        CHECK(hash_of(gpu.sum) == hash_of(cpu.sum));
        check_close("mean", gpu.mean, widen_all(cpu.mean), accumulate, 1);
        check_close("rstd", gpu.rstd, widen_all(cpu.rstd), accumulate, 0);
        check_close("out", gpu.out, widen_all(cpu.out), tolerance, 0.5);
        check_close("grad_sum", gpu.grad_sum, widen_all(cpu.grad_sum), tolerance, 1);
        check_close("grad_weight", gpu.grad_weight, widen_all(cpu.grad_weight), accumulate, 1);
        check_close("grad_bias", gpu.grad_bias, widen_all(cpu.grad_bias), accumulate, 1);
    }
}

TEST_CASE_TEMPLATE("cuda sum_rows: equals the CPU backend", T, float, BFloat16, double) {
    constexpr int64_t kRows = 45, kColumns = 70, kStride = 75;
    const auto x = random_values<T>(kRows * kStride, 1, 61);
    const auto start = random_values<Accumulator<T>>(kColumns, 1, 62);
    struct Result {
        std::vector<Accumulator<T>> out;
        Hash128 hash() const { return hash_of(out); }
    };
    const auto got = in_all_schedules([&](Device& device) {
        const auto x_gpu = device.upload(x);
        const auto out = device.upload(start);
        cuda::sum_rows(device.stream(),
                       {kDType<T>, kRows, kColumns, kStride, x_gpu.data(), out.data()});
        return Result{device.download(out)};
    });
    auto want = start;
    Stream cpu = Stream::cpu();
    cpu::sum_rows(cpu, {kDType<T>, kRows, kColumns, kStride, x.data(), want.data()});
    check_close("out", got.out, widen_all(want), 32 * kHalfUlp<Accumulator<T>>, 1);
}

}  // namespace longhaul::kernels::test
