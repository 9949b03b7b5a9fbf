// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/adamw.h"

#include "tests/gpu/kernels/kernel_test.h"

namespace longhaul::kernels::test {

namespace {

template <class State, class Grad>
struct Inputs {
    std::vector<State> master, m, v;
    std::vector<Grad> grad;
    AdamWArgs args;

    explicit Inputs(int64_t count)
        : master(random_values<State>(count, 0.5, 21)),
          m(random_values<State>(count, 0.1, 22)),
          v(random_values<State>(count, 0.1, 23)),
          grad(random_values<Grad>(count, 1, 24)) {
        for (auto& value : v) value = std::abs(value);
        args = {.state_dtype = kDType<State>,
                .grad_dtype = kDType<Grad>,
                .count = count,
                .learning_rate = 1e-2,
                .beta1 = 0.9,
                .beta2 = 0.95,
                .epsilon = 1e-8,
                .weight_decay = 0.1,
                .grad_scale = 0.5,
                .step = 7,
                .rounding = Rounding::kStochastic,
                .seed = 42,
                .tensor_stream = 99};
    }

    /// The elements [first, first + count) alone, as a rank that owns only those would hold them.
    Inputs part(int64_t first, int64_t count) const {
        Inputs one = *this;
        const auto cut = [&](auto& values) {
            values = {values.begin() + first, values.begin() + first + count};
        };
        cut(one.master), cut(one.m), cut(one.v), cut(one.grad);
        one.args.count = count;
        one.args.first_element += first;
        return one;
    }
};

template <class State>
struct Outputs {
    std::vector<State> master, m, v;
    std::vector<BFloat16> weights;
    Hash128 hash() const { return hash_of(master, m, v, weights); }
};

template <class State, class Grad>
Outputs<State> run(Device& device, const Inputs<State, Grad>& in) {
    const auto master = device.upload(in.master), m = device.upload(in.m), v = device.upload(in.v);
    const auto grad = device.upload(in.grad);
    constexpr bool kWantWeights = std::is_same_v<State, float>;
    const auto weights = device.make<BFloat16>(kWantWeights ? in.master.size() : 0);
    AdamWArgs args = in.args;
    args.grad = grad.data();
    args.master = master.data();
    args.m = m.data();
    args.v = v.data();
    args.weights = weights.data();
    cuda::adamw(device.stream(), args);
    return {device.download(master), device.download(m), device.download(v),
            device.download(weights)};
}

template <class State, class Grad>
Outputs<State> run_cpu(const Inputs<State, Grad>& in) {
    Stream stream = Stream::cpu();
    Outputs<State> got{in.master, in.m, in.v, {}};
    AdamWArgs args = in.args;
    args.grad = in.grad.data();
    args.master = got.master.data();
    args.m = got.m.data();
    args.v = got.v.data();
    if constexpr (std::is_same_v<State, float>) {
        got.weights.resize(in.master.size());
        args.weights = got.weights.data();
    }
    cpu::adamw(stream, args);
    return got;
}

/// The contract of kernels/adamw.h in fp64.
template <class State, class Grad>
struct Reference {
    std::vector<double> master, m, v;

    explicit Reference(const Inputs<State, Grad>& in)
        : master(widen_all(in.master)), m(widen_all(in.m)), v(widen_all(in.v)) {
        const AdamWArgs& a = in.args;
        const double c1 = 1 / (1 - std::pow(a.beta1, a.step));
        const double c2 = 1 / (1 - std::pow(a.beta2, a.step));
        for (size_t i = 0; i < master.size(); ++i) {
            const double g = to_double(in.grad[i]) * a.grad_scale;
            m[i] = a.beta1 * m[i] + (1 - a.beta1) * g;
            v[i] = a.beta2 * v[i] + (1 - a.beta2) * g * g;
            const double direction = m[i] * c1 / (std::sqrt(v[i] * c2) + a.epsilon);
            master[i] -= a.learning_rate * (direction + a.weight_decay * master[i]);
        }
    }
};

template <class State, class Grad>
void check_against_reference(int64_t count) {
    CAPTURE(count);
    const Inputs<State, Grad> in(count);
    const auto got = in_all_schedules([&](Device& device) { return run(device, in); });
    const Reference<State, Grad> want(in);
    const double tolerance = 8 * kHalfUlp<State>;  // a few operations, no sums
    check_close("m", got.m, want.m, tolerance, 0.1);
    check_close("v", got.v, want.v, tolerance, 0.1);
    check_close("master", got.master, want.master, tolerance, 0.1);
    for (size_t i = 0; i < got.weights.size(); ++i) {  // the key, element by element
        const PhiloxBlock block = rounding_block(42, 99, 7, i / 8);
        REQUIRE(got.weights[i] ==
                tensor::to_bf16_stochastic(got.master[i], rounding_bits(block, i)));
    }
}

}  // namespace

TEST_CASE("cuda adamw: equals fp64, same bits in all schedules, rounding keyed by element") {
    for (const int64_t count : {1, 7, 8, 4099}) {
        check_against_reference<float, float>(count);
        check_against_reference<float, BFloat16>(count);
        check_against_reference<double, double>(count);
        check_against_reference<double, float>(count);
        check_against_reference<double, BFloat16>(count);
    }
}

TEST_CASE("cuda adamw: equals the CPU backend, its rounding included") {
    const Inputs<float, BFloat16> in(3001);
    Device device;
    const auto gpu = run(device, in), cpu = run_cpu(in);
    check_close("m", gpu.m, widen_all(cpu.m), 16 * kHalfUlp<float>, 0.1);
    check_close("v", gpu.v, widen_all(cpu.v), 16 * kHalfUlp<float>, 0.1);
    check_close("master", gpu.master, widen_all(cpu.master), 16 * kHalfUlp<float>, 0.1);
    for (size_t i = 0; i < gpu.master.size(); ++i) {  // fused multiply-add may move a last bit
        if (gpu.master[i] == cpu.master[i]) REQUIRE(gpu.weights[i] == cpu.weights[i]);
    }
    const Inputs<double, double> exact(100);
    check_close("master f64", run(device, exact).master, widen_all(run_cpu(exact).master),
                16 * kHalfUlp<double>, 0.1);
}

TEST_CASE("cuda adamw: any cut of a tensor into runs gives the same bits") {
    const Inputs<float, BFloat16> whole(1000);
    Device device;
    const auto want = run(device, whole);
    for (const int64_t cut : {1, 8, 13, 500, 999}) {
        CAPTURE(cut);
        const auto first = run(device, whole.part(0, cut));
        const auto second = run(device, whole.part(cut, 1000 - cut));
        auto weights = first.weights;
        weights.insert(weights.end(), second.weights.begin(), second.weights.end());
        auto master = first.master;
        master.insert(master.end(), second.master.begin(), second.master.end());
        CHECK(weights == want.weights);
        CHECK(master == want.master);
    }
}

TEST_CASE("cuda adamw: stochastic rounding has no bias, nearest rounding is to_bf16") {
    Inputs<float, float> in(65536);
    Device device;
    const auto stochastic = run(device, in);
    double bias = 0;
    for (size_t i = 0; i < stochastic.master.size(); ++i) {
        const double master = stochastic.master[i];
        bias += (to_double(stochastic.weights[i]) - master) / (std::abs(master) + 1e-9);
    }
    // One rounding is off by up to 2^-7; the mean of 65536 by 2^-7 / 256 / sqrt(6) at one sigma.
    CHECK(std::abs(bias / 65536) < 5 * 0x1p-7 / 256 / std::sqrt(6.0));

    in.args.rounding = Rounding::kNearestEven;
    const auto nearest = run(device, in);
    for (size_t i = 0; i < nearest.master.size(); ++i) {
        REQUIRE(nearest.weights[i] == tensor::to_bf16(nearest.master[i]));
    }
}

TEST_CASE("cuda adamw: other steps, seeds and tensors draw other bits") {
    Inputs<float, float> in(256);
    in.args.learning_rate = 0;  // equal masters: only the rounding differs
    Device device;
    const auto want = run(device, in).weights;
    CHECK(run(device, in).weights == want);
    auto other = in;
    other.args.step = 8;
    CHECK(run(device, other).weights != want);
    other = in;
    other.args.seed = 43;
    CHECK(run(device, other).weights != want);
    other = in;
    other.args.tensor_stream = 100;
    CHECK(run(device, other).weights != want);
}

}  // namespace longhaul::kernels::test
