// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/rmsnorm.h"

#include "tests/gpu/kernels/kernel_test.h"

namespace longhaul::kernels::test {

namespace {

constexpr double kEpsilon = 1e-5;

template <class T>
struct Inputs {
    int64_t rows, columns;
    std::vector<T> x, residual, weight, grad_out, grad_residual;
    std::vector<Accumulator<T>> grad_weight;

    Inputs(int64_t rows, int64_t columns)
        : rows(rows),
          columns(columns),
          x(random_values<T>(rows * columns, 2, 1)),
          residual(random_values<T>(rows * columns, 1, 2)),
          weight(random_values<T>(columns, 1, 3)),
          grad_out(random_values<T>(rows * columns, 1, 4)),
          grad_residual(random_values<T>(rows * columns, 1, 5)),
          grad_weight(random_values<Accumulator<T>>(columns, 1, 6)) {}
};

template <class T>
struct Outputs {
    std::vector<T> sum, out, grad_sum;
    std::vector<Accumulator<T>> rstd, grad_weight;
    Hash128 hash() const { return hash_of(sum, out, grad_sum, rstd, grad_weight); }
};

/// Forward, then backward from what forward saved.
template <class T>
Outputs<T> run(Device& device, const Inputs<T>& in) {
    using Acc = Accumulator<T>;
    const size_t count = in.rows * in.columns;
    const auto x = device.upload(in.x), residual = device.upload(in.residual),
               weight = device.upload(in.weight), grad_out = device.upload(in.grad_out),
               grad_residual = device.upload(in.grad_residual);
    const auto grad_weight = device.upload(in.grad_weight);
    const auto sum = device.make<T>(count), out = device.make<T>(count),
               grad_sum = device.make<T>(count);
    const auto rstd = device.make<Acc>(in.rows);
    const size_t scratch_bytes =
        cuda::rmsnorm_backward_scratch_bytes(kDType<T>, in.rows, in.columns);
    const auto scratch = device.make<std::byte>(scratch_bytes);

    cuda::rmsnorm_forward(device.stream(), {.dtype = kDType<T>,
                                            .rows = in.rows,
                                            .columns = in.columns,
                                            .epsilon = kEpsilon,
                                            .x = x.data(),
                                            .residual = residual.data(),
                                            .weight = weight.data(),
                                            .sum = sum.data(),
                                            .out = out.data(),
                                            .rstd = rstd.data()});
    cuda::rmsnorm_backward(device.stream(), {.dtype = kDType<T>,
                                             .rows = in.rows,
                                             .columns = in.columns,
                                             .grad_out = grad_out.data(),
                                             .grad_residual = grad_residual.data(),
                                             .sum = sum.data(),
                                             .weight = weight.data(),
                                             .rstd = rstd.data(),
                                             .grad_sum = grad_sum.data(),
                                             .grad_weight = grad_weight.data(),
                                             .scratch = scratch.data(),
                                             .scratch_bytes = scratch_bytes});
    return {device.download(sum), device.download(out), device.download(grad_sum),
            device.download(rstd), device.download(grad_weight)};
}

/// The same on the CPU backend.
template <class T>
Outputs<T> run_cpu(const Inputs<T>& in) {
    Stream stream = Stream::cpu();
    Outputs<T> got{in.x, in.x, in.x, std::vector<Accumulator<T>>(in.rows), in.grad_weight};
    cpu::rmsnorm_forward(stream, {.dtype = kDType<T>,
                                  .rows = in.rows,
                                  .columns = in.columns,
                                  .epsilon = kEpsilon,
                                  .x = in.x.data(),
                                  .residual = in.residual.data(),
                                  .weight = in.weight.data(),
                                  .sum = got.sum.data(),
                                  .out = got.out.data(),
                                  .rstd = got.rstd.data()});
    std::vector<std::byte> scratch(
        cpu::rmsnorm_backward_scratch_bytes(kDType<T>, in.rows, in.columns));
    cpu::rmsnorm_backward(stream, {.dtype = kDType<T>,
                                   .rows = in.rows,
                                   .columns = in.columns,
                                   .grad_out = in.grad_out.data(),
                                   .grad_residual = in.grad_residual.data(),
                                   .sum = got.sum.data(),
                                   .weight = in.weight.data(),
                                   .rstd = got.rstd.data(),
                                   .grad_sum = got.grad_sum.data(),
                                   .grad_weight = got.grad_weight.data(),
                                   .scratch = scratch.data(),
                                   .scratch_bytes = scratch.size()});
    return got;
}

/// The contract of kernels/rmsnorm.h in fp64; `sum` is rounded to T as the contract says.
template <class T>
struct Reference {
    std::vector<double> sum, out, grad_sum, rstd, grad_weight;

    explicit Reference(const Inputs<T>& in)
        : sum(in.x.size()),
          out(in.x.size()),
          grad_sum(in.x.size()),
          rstd(in.rows),
          grad_weight(widen_all(in.grad_weight)) {
        for (int64_t r = 0; r < in.rows; ++r) {
            forward_row(in, r);
            backward_row(in, r);
        }
    }

 private:
    void forward_row(const Inputs<T>& in, int64_t r) {
        double squares = 0;
        for (int64_t c = 0; c < in.columns; ++c) {
            const int64_t i = r * in.columns + c;
            sum[i] = to_double(from_double<T>(to_double(in.x[i]) + to_double(in.residual[i])));
            squares += sum[i] * sum[i];
        }
        rstd[r] = 1 / std::sqrt(squares / in.columns + kEpsilon);
        for (int64_t c = 0; c < in.columns; ++c) {
            const int64_t i = r * in.columns + c;
            out[i] = sum[i] * rstd[r] * to_double(in.weight[c]);
        }
    }
    void backward_row(const Inputs<T>& in, int64_t r) {
        double mean = 0;
        for (int64_t c = 0; c < in.columns; ++c) {
            const int64_t i = r * in.columns + c;
            mean += to_double(in.grad_out[i]) * to_double(in.weight[c]) * sum[i] * rstd[r];
        }
        mean /= in.columns;
        for (int64_t c = 0; c < in.columns; ++c) {
            const int64_t i = r * in.columns + c;
            const double grad = to_double(in.grad_out[i]), normalised = sum[i] * rstd[r];
            grad_sum[i] = to_double(in.grad_residual[i]) +
                          rstd[r] * (grad * to_double(in.weight[c]) - normalised * mean);
            grad_weight[c] += grad * normalised;
        }
    }
};

}  // namespace

TEST_CASE_TEMPLATE("cuda rmsnorm: equals fp64, same bits in all schedules", T, float, BFloat16,
                   double) {
    // Fewer vectors than threads; more; more rows than backward has blocks (slow: one type only).
    std::vector<std::pair<int64_t, int64_t>> shapes = {{1, 8}, {5, 768}, {3, 2304}};
    if (std::is_same_v<T, float>) shapes.push_back({270, 16});
    for (const auto& [rows, columns] : shapes) {
        CAPTURE(rows);
        CAPTURE(columns);
        const Inputs<T> in(rows, columns);
        const auto got = in_all_schedules([&](Device& device) { return run(device, in); });
        const Reference<T> want(in);
        // Sums of up to 2304 terms in the accumulator type: 16 of its roundings, observed below 8.
        const double accumulate = 16 * kHalfUlp<Accumulator<T>>;
        const double round = 2 * kHalfUlp<T> + accumulate;
        check_close("sum", got.sum, want.sum, kHalfUlp<T>, 1e-3);
        check_close("rstd", got.rstd, want.rstd, accumulate, 0);
        check_close("out", got.out, want.out, round, 1e-2);
        check_close("grad_sum", got.grad_sum, want.grad_sum, round, 1);
        // Up to 264 blocks' parts, added one after another.
        check_close("grad_weight", got.grad_weight, want.grad_weight, 4 * accumulate, 1);
    }
}

TEST_CASE_TEMPLATE("cuda rmsnorm: equals the CPU backend", T, float, BFloat16, double) {
    const Inputs<T> in(9, 256);
    Device device;
    const auto gpu = run(device, in), cpu = run_cpu(in);
    const double tolerance = 2 * kHalfUlp<T> + 32 * kHalfUlp<Accumulator<T>>;
    CHECK(hash_of(gpu.sum) == hash_of(cpu.sum));
    check_close("rstd", gpu.rstd, widen_all(cpu.rstd), 32 * kHalfUlp<Accumulator<T>>, 0);
    check_close("out", gpu.out, widen_all(cpu.out), tolerance, 1e-2);
    check_close("grad_sum", gpu.grad_sum, widen_all(cpu.grad_sum), tolerance, 1);
    check_close("grad_weight", gpu.grad_weight, widen_all(cpu.grad_weight),
                32 * kHalfUlp<Accumulator<T>>, 1);
}

TEST_CASE("cuda rmsnorm: in place, without residual, and each gradient alone") {
    const Inputs<float> in(7, 64);
    Device device;
    const auto want = run(device, in);

    const auto x = device.upload(in.x), residual = device.upload(in.residual),
               weight = device.upload(in.weight);
    const auto out = device.make<float>(in.x.size()), rstd = device.make<float>(in.rows);
    RmsNormForwardArgs forward{.rows = in.rows,
                               .columns = in.columns,
                               .epsilon = kEpsilon,
                               .x = x.data(),
                               .residual = residual.data(),
                               .weight = weight.data(),
                               .sum = x.data(),
                               .out = out.data(),
                               .rstd = rstd.data()};
    cuda::rmsnorm_forward(device.stream(), forward);
    CHECK(device.download(x) == want.sum);
    CHECK(device.download(out) == want.out);

    forward.residual = nullptr;  // x holds the sum now
    forward.sum = nullptr;
    cuda::rmsnorm_forward(device.stream(), forward);
    CHECK(device.download(out) == want.out);

    const auto grad_out = device.upload(in.grad_out),
               grad_residual = device.upload(in.grad_residual),
               grad_weight = device.upload(in.grad_weight);
    const size_t scratch_bytes =
        cuda::rmsnorm_backward_scratch_bytes(tensor::DType::kF32, in.rows, in.columns);
    const auto scratch = device.make<std::byte>(scratch_bytes);
    RmsNormBackwardArgs backward{.rows = in.rows,
                                 .columns = in.columns,
                                 .grad_out = grad_out.data(),
                                 .sum = x.data(),
                                 .weight = weight.data(),
                                 .rstd = rstd.data(),
                                 .grad_weight = grad_weight.data(),
                                 .scratch = scratch.data(),
                                 .scratch_bytes = scratch_bytes};
    cuda::rmsnorm_backward(device.stream(), backward);
    CHECK(device.download(grad_weight) == want.grad_weight);

    backward.grad_weight = nullptr;
    backward.grad_residual = grad_residual.data();
    backward.grad_sum = grad_residual.data();
    cuda::rmsnorm_backward(device.stream(), backward);
    CHECK(device.download(grad_residual) == want.grad_sum);
}

TEST_CASE("cuda rmsnorm: bad arguments are named") {
    Device device;
    const auto buffer = device.make<float>(16);
    RmsNormForwardArgs args{.rows = 1,
                            .columns = 8,
                            .x = buffer.data(),
                            .weight = buffer.data(),
                            .out = buffer.data(),
                            .rstd = buffer.data()};
    const auto message_of = [&](const RmsNormForwardArgs& wrong) -> std::string {
        try {
            cuda::rmsnorm_forward(device.stream(), wrong);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "no error";
    };
    RmsNormForwardArgs wrong = args;
    wrong.columns = 6;
    CHECK(message_of(wrong) == "rmsnorm_forward: a row must be a multiple of 16 bytes");
    wrong = args;
    wrong.residual = buffer.data();
    CHECK(message_of(wrong) == "rmsnorm_forward: residual needs sum");
    wrong = args;
    wrong.weight = nullptr;
    CHECK(message_of(wrong) == "rmsnorm_forward: weight is null");
    wrong = args;
    wrong.x = buffer.data() + 1;
    CHECK(message_of(wrong).find("is not aligned to 16 bytes") != std::string::npos);
    wrong = args;
    wrong.dtype = tensor::DType::kI32;
    CHECK(message_of(wrong) == "rmsnorm_forward: no CUDA kernel for i32");
    Stream cpu = Stream::cpu();
    CHECK_THROWS_WITH(cuda::rmsnorm_forward(cpu, args),
                      "rmsnorm_forward: called with a CPU stream");
}

}  // namespace longhaul::kernels::test
