// SPDX-License-Identifier: BSD-3-Clause
// GELU, SwiGLU, rotary embedding and casts on CUDA, against the CPU backend (which
// tests/unit/kernels proves against fp64 and finite differences) in all schedules, aligned and at
// odd addresses.
#include "kernels/cast.h"
#include "kernels/gelu.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
#include "tests/gpu/kernels/kernel_test.h"
#include "tests/support/documents.h"

namespace longhaul::kernels::test {

namespace {

template <class T>
struct Outputs {
    std::vector<T> a, b;
    Hash128 hash() const { return hash_of(a, b); }
};

/// `values` with `shift` elements before them: odd addresses for vectors.
template <class T>
std::vector<T> shifted(const std::vector<T>& values, int shift) {
    std::vector<T> result(shift);
    result.insert(result.end(), values.begin(), values.end());
    return result;
}

template <class T>
std::vector<T> unshifted(std::vector<T> values, int shift) {
    values.erase(values.begin(), values.begin() + shift);
    return values;
}

/// One rounding to T on each side, and transcendental functions a few units off.
template <class T>
constexpr double kTolerance = 2 * kHalfUlp<T> + 16 * kHalfUlp<Accumulator<T>>;

}  // namespace

TEST_CASE_TEMPLATE("cuda gelu: equals the CPU backend", T, float, BFloat16, double) {
    for (const int64_t count : {1, 8, 4103}) {
        for (const int shift : {0, 1}) {
            CAPTURE(count);
            CAPTURE(shift);
            const auto x = random_values<T>(count, 5, 41), grad = random_values<T>(count, 1, 42);
            const auto shifted_x = shifted(x, shift), shifted_grad = shifted(grad, shift);
            const auto got = in_all_schedules([&](Device& device) {
                const auto x_gpu = device.upload(shifted_x), grad_gpu = device.upload(shifted_grad);
                const auto out = device.make<T>(count + shift);
                cuda::gelu_forward(device.stream(),
                                   {kDType<T>, count, x_gpu.data() + shift, out.data() + shift});
                cuda::gelu_backward(device.stream(), {kDType<T>, count, x_gpu.data() + shift,
                                                      grad_gpu.data() + shift,
                                                      grad_gpu.data() + shift});  // in place
                return Outputs<T>{unshifted(device.download(out), shift),
                                  unshifted(device.download(grad_gpu), shift)};
            });
            Stream cpu = Stream::cpu();
            std::vector<T> out(count), grad_x(count);
            cpu::gelu_forward(cpu, {kDType<T>, count, x.data(), out.data()});
            cpu::gelu_backward(cpu, {kDType<T>, count, x.data(), grad.data(), grad_x.data()});
            check_close("out", got.a, widen_all(out), kTolerance<T>, 0.1);
            // 1 - tanh^2 cancels where the slope of GELU is small: absolute, not relative.
            check_close("grad_x", got.b, widen_all(grad_x), 2 * kTolerance<T>, 1);
        }
    }
}

TEST_CASE_TEMPLATE("cuda swiglu: equals the CPU backend", T, float, BFloat16, double) {
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 1}, {5, 64}, {3, 91}}) {
        CAPTURE(columns);
        const auto gate_up = random_values<T>(rows * 2 * columns, 4, 43);
        const auto grad = random_values<T>(rows * columns, 1, 44);
        const auto got = in_all_schedules([&](Device& device) {
            const auto gate_up_gpu = device.upload(gate_up), grad_gpu = device.upload(grad);
            const auto out = device.make<T>(rows * columns);
            cuda::swiglu_forward(device.stream(),
                                 {kDType<T>, rows, columns, gate_up_gpu.data(), out.data()});
            cuda::swiglu_backward(device.stream(), {kDType<T>, rows, columns, gate_up_gpu.data(),
                                                    grad_gpu.data(), gate_up_gpu.data()});
            return Outputs<T>{device.download(out), device.download(gate_up_gpu)};
        });
        Stream cpu = Stream::cpu();
        std::vector<T> out(rows * columns), grad_gate_up(gate_up.size());
        cpu::swiglu_forward(cpu, {kDType<T>, rows, columns, gate_up.data(), out.data()});
        cpu::swiglu_backward(
            cpu, {kDType<T>, rows, columns, gate_up.data(), grad.data(), grad_gate_up.data()});
        check_close("out", got.a, widen_all(out), kTolerance<T>, 0.1);
        check_close("grad_gate_up", got.b, widen_all(grad_gate_up), kTolerance<T>, 0.1);
    }
}

TEST_CASE_TEMPLATE("cuda rope: equals the CPU backend, and turns back", T, float, BFloat16,
                   double) {
    constexpr int64_t kRows = 12, kSeqLen = 5, kHeads = 3, kFirst = 2;
    for (const int64_t head_dim : {2, 16, 22}) {
        CAPTURE(head_dim);
        const int64_t half = head_dim / 2, stride = kHeads * head_dim + 7;
        const auto x = random_values<T>(kRows * stride, 1, 45);
        std::vector<Accumulator<T>> cosines((kSeqLen + kFirst) * half), sines(cosines.size());
        for (size_t i = 0; i < cosines.size(); ++i) {
            const double angle =
                static_cast<double>(i / half) * std::pow(10000.0, -2.0 * (i % half) / head_dim);
            cosines[i] = static_cast<Accumulator<T>>(std::cos(angle));
            sines[i] = static_cast<Accumulator<T>>(std::sin(angle));
        }
        RopeArgs args{.dtype = kDType<T>,
                      .rows = kRows,
                      .num_heads = kHeads,
                      .head_dim = head_dim,
                      .row_stride = stride,
                      .seq_len = kSeqLen,
                      .first_position = kFirst};
        std::vector<int32_t> begins(kRows);  // of documents of 2 and 3 tokens
        const auto one = longhaul::test::document_begins(kSeqLen, {2, 3});
        for (int64_t r = 0; r < kRows; ++r) begins[r] = one[r % kSeqLen];
        const bool has_documents = head_dim == 16;
        const auto got = in_all_schedules([&](Device& device) {
            const auto x_gpu = device.upload(x);
            const auto begins_gpu = device.upload(begins);
            const auto cosines_gpu = device.upload(cosines), sines_gpu = device.upload(sines);
            RopeArgs turn = args;
            turn.x = x_gpu.data();
            if (has_documents) turn.document_begins = begins_gpu.data();
            turn.cosines = cosines_gpu.data();
            turn.sines = sines_gpu.data();
            cuda::rope(device.stream(), turn);
            const auto turned = device.download(x_gpu);
            turn.inverse = true;
            cuda::rope(device.stream(), turn);
            return Outputs<T>{turned, device.download(x_gpu)};
        });
        auto turned = x;
        args.x = turned.data();
        if (has_documents) args.document_begins = begins.data();
        args.cosines = cosines.data();
        args.sines = sines.data();
        Stream cpu = Stream::cpu();
        cpu::rope(cpu, args);
        check_close("turned", got.a, widen_all(turned), kTolerance<T>, 0.5);
        check_close("turned back", got.b, widen_all(x), 3 * kTolerance<T>, 0.5);
    }
}

TEST_CASE_TEMPLATE("cuda cast: every pair of types as on the CPU, bit for bit", From, float,
                   BFloat16, double) {
    const auto values = random_values<From>(1003, 100, 46);
    const auto check_to = [&](auto to) {
        using To = decltype(to);
        const auto got = in_all_schedules([&](Device& device) {
            const auto from = device.upload(values);
            const auto result = device.make<To>(values.size());
            cuda::cast(device.stream(),
                       {kDType<From>, kDType<To>, static_cast<int64_t>(values.size()), from.data(),
                        result.data()});
            return Outputs<To>{device.download(result), {}};
        });
        std::vector<To> want(values.size());
        Stream cpu = Stream::cpu();
        cpu::cast(cpu, {kDType<From>, kDType<To>, static_cast<int64_t>(values.size()),
                        values.data(), want.data()});
        CHECK(got.a == want);
    };
    check_to(float{});
    check_to(double{});
    check_to(BFloat16{});
}

TEST_CASE("cuda element-wise ops: bad arguments are named") {
    Device device;
    const auto buffer = device.make<float>(64);
    CHECK_THROWS_WITH(cuda::cast(device.stream(), {tensor::DType::kF32, tensor::DType::kBF16, 8,
                                                   buffer.data(), buffer.data()}),
                      "cast: in place only between equal types");
    CHECK_THROWS_WITH(cuda::gelu_forward(device.stream(), {.count = 8, .out = buffer.data()}),
                      "gelu_forward: x is null");
    CHECK_THROWS_WITH(
        cuda::rope(device.stream(),
                   {.rows = 1, .num_heads = 1, .head_dim = 3, .row_stride = 3, .seq_len = 1}),
        "rope: head_dim must be even");
}

}  // namespace longhaul::kernels::test
