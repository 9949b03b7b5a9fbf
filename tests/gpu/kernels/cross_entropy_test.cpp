// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cross_entropy.h"

#include "tests/gpu/kernels/kernel_test.h"

namespace longhaul::kernels::test {

namespace {

constexpr int32_t kIgnore = -100;
constexpr double kScale = 0.25;

template <class T>
struct Inputs {
    int64_t rows, vocab, padded_vocab;
    std::vector<T> logits;
    std::vector<int32_t> targets;

    Inputs(int64_t rows, int64_t vocab, int64_t padded_vocab)
        : rows(rows),
          vocab(vocab),
          padded_vocab(padded_vocab),
          logits(random_values<T>(rows * padded_vocab, 8, 11)) {
        for (int64_t r = 0; r < rows; ++r) {
            targets.push_back(static_cast<int32_t>((r * 7919 + vocab - 1) % vocab));
            for (int64_t v = vocab; v < padded_vocab; ++v) {  // padding is never read
                logits[r * padded_vocab + v] = from_double<T>(NAN);
            }
        }
        if (rows > 1) targets[1] = kIgnore;
    }
};

template <class T>
struct Outputs {
    std::vector<T> logits;
    std::vector<Accumulator<T>> losses;
    Hash128 hash() const { return hash_of(logits, losses); }
};

template <class T>
Outputs<T> run(Device& device, const Inputs<T>& in, bool want_grad = true) {
    const auto logits = device.upload(in.logits);
    const auto targets = device.upload(in.targets);
    const auto losses = device.make<Accumulator<T>>(in.rows);
    cuda::cross_entropy(device.stream(), {.dtype = kDType<T>,
                                          .rows = in.rows,
                                          .vocab = in.vocab,
                                          .padded_vocab = in.padded_vocab,
                                          .logits = logits.data(),
                                          .targets = targets.data(),
                                          .ignore_index = kIgnore,
                                          .losses = losses.data(),
                                          .grad_scale = kScale,
                                          .want_grad = want_grad});
    return {device.download(logits), device.download(losses)};
}

template <class T>
Outputs<T> run_cpu(const Inputs<T>& in) {
    Stream stream = Stream::cpu();
    Outputs<T> got{in.logits, std::vector<Accumulator<T>>(in.rows)};
    cpu::cross_entropy(stream, {.dtype = kDType<T>,
                                .rows = in.rows,
                                .vocab = in.vocab,
                                .padded_vocab = in.padded_vocab,
                                .logits = got.logits.data(),
                                .targets = in.targets.data(),
                                .ignore_index = kIgnore,
                                .losses = got.losses.data(),
                                .grad_scale = kScale});
    return got;
}

template <class T>
struct Reference {
    std::vector<double> losses, grad;

    explicit Reference(const Inputs<T>& in) : losses(in.rows), grad(in.logits.size()) {
        for (int64_t r = 0; r < in.rows; ++r) {
            if (in.targets[r] == kIgnore) continue;
            const T* row = in.logits.data() + r * in.padded_vocab;
            double maximum = to_double(row[0]);
            long double total = 0;  // a double sum would be no better than the kernel's
            for (int64_t v = 0; v < in.vocab; ++v) maximum = std::max(maximum, to_double(row[v]));
            for (int64_t v = 0; v < in.vocab; ++v) total += std::exp(to_double(row[v]) - maximum);
            losses[r] =
                static_cast<double>(std::log(total)) + maximum - to_double(row[in.targets[r]]);
            for (int64_t v = 0; v < in.vocab; ++v) {
                const double p = std::exp(to_double(row[v]) - maximum) / static_cast<double>(total);
                grad[r * in.padded_vocab + v] = (p - (v == in.targets[r])) * kScale;
            }
        }
    }
};

}  // namespace

TEST_CASE_TEMPLATE("cuda cross_entropy: equals fp64, same bits in all schedules", T, float,
                   BFloat16, double) {
    struct Shape {
        int64_t rows, vocab, padded_vocab;
    };
    // One vector; fewer vectors than threads; GPT-2's vocabulary with its usual padding.
    for (const auto& [rows, vocab, padded] : {Shape{1, 5, 8}, {4, 1000, 1024}, {3, 50257, 50304}}) {
        CAPTURE(vocab);
        const Inputs<T> in(rows, vocab, padded);
        const auto got = in_all_schedules([&](Device& device) { return run(device, in); });
        const Reference<T> want(in);
        // exp amplifies the rounding of its argument (|x| <= 16 here) by |x|.
        const double accumulate = 40 * kHalfUlp<Accumulator<T>>;
        check_close("losses", got.losses, want.losses, accumulate, 1);
        check_close("grad", got.logits, want.grad, 2 * kHalfUlp<T> + accumulate, 1e-7);
    }
}

TEST_CASE_TEMPLATE("cuda cross_entropy: equals the CPU backend", T, float, BFloat16, double) {
    Inputs<T> in(6, 1000, 1008);
    in.targets[4] = -1;  // poisoned on both
    Device device;
    const auto gpu = run(device, in), cpu = run_cpu(in);
    const double accumulate = 80 * kHalfUlp<Accumulator<T>>;
    const auto rows_before_poison = [](const auto& all, size_t per_row) {
        return std::decay_t<decltype(all)>(all.begin(), all.begin() + 4 * per_row);
    };
    check_close("losses", rows_before_poison(gpu.losses, 1),
                widen_all(rows_before_poison(cpu.losses, 1)), accumulate, 1);
    check_close("grad", rows_before_poison(gpu.logits, 1008),
                widen_all(rows_before_poison(cpu.logits, 1008)), 2 * kHalfUlp<T> + accumulate,
                1e-6);
    CHECK(std::isnan(gpu.losses[4]));
    CHECK(std::isnan(cpu.losses[4]));
    for (const int64_t column : {0, 999, 1000, 1007}) {
        CAPTURE(column);
        const size_t i = 4 * 1008 + column;
        CHECK(std::isnan(to_double(gpu.logits[i])) == std::isnan(to_double(cpu.logits[i])));
    }
}

TEST_CASE("cuda cross_entropy: without gradient the logits stay, the losses are the same") {
    const Inputs<float> in(3, 100, 104);
    Device device;
    const auto with = run(device, in, true);
    const auto without = run(device, in, false);
    CHECK(without.losses == with.losses);
    CHECK(hash_of(without.logits) == hash_of(in.logits));
}

TEST_CASE("cuda cross_entropy: a target outside the vocabulary poisons its own row only") {
    for (const int32_t bad : {-1, 100, 103}) {
        Inputs<float> in(3, 100, 104);
        in.targets[2] = bad;
        Device device;
        const auto got = run(device, in);
        CHECK(std::isfinite(got.losses[0]));
        CHECK(got.losses[1] == 0);  // ignored
        CHECK(std::isnan(got.losses[2]));
        CHECK(std::isfinite(got.logits[5]));
        CHECK(std::isnan(got.logits[2 * 104 + 5]));
        CHECK(got.logits[2 * 104 + 101] == 0);  // padding
    }
}

TEST_CASE("cuda cross_entropy: infinite logits and equal logits") {
    Inputs<float> in(1, 8, 8);
    in.logits.assign(8, -std::numeric_limits<float>::infinity());
    in.logits[7] = 3;
    in.targets = {7};
    Device device;
    CHECK(run(device, in).losses[0] == doctest::Approx(0).epsilon(1e-6));
    in.logits.assign(8, 1e30f);
    CHECK(run(device, in).losses[0] == doctest::Approx(std::log(8.0)));
    in.logits[3] = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(run(device, in).losses[0]));
}

}  // namespace longhaul::kernels::test
