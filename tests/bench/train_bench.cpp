// SPDX-License-Identifier: BSD-3-Clause
// Speed of a training step against oneDNN's matmul on the same shapes: a GPT-2 of `layers` layers
// of the 124M shape, 4 sequences of 256 tokens, forward, backward and AdamW.
//   train_bench [f32|bf16] [layers = 12] [repeats = 3]
// Prints the best of the repeats by CPU time (user + system of the process): on a machine that
// others use, wall time says little. Floating-point operations: 6 per weight and token, and causal
// attention, as in flops_per_token().

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/cpu/parallel_for.h"
#include "lib/base/philox.h"
#include "lib/model/transformer.h"
#include "lib/ops/ops.h"
#include "lib/tensor/alloc.h"

namespace {

using namespace longhaul;  // NOLINT(google-build-using-namespace): a program of one file
using tensor::Buffer;
using tensor::DType;
using tensor::MemoryClass;

constexpr int64_t kBatch = 4, kLength = 256, kRows = kBatch * kLength;

struct Clock {
    double wall_s, cpu_s;
    static Clock now() {
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        const auto wall = std::chrono::steady_clock::now().time_since_epoch();
        return {std::chrono::duration<double>(wall).count(),
                static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec)};
    }
    Clock operator-(const Clock& other) const {
        return {wall_s - other.wall_s, cpu_s - other.cpu_s};
    }
};

template <class Body>
Clock best_of(int repeats, const Body& body) {
    Clock best{1e30, 1e30};
    for (int i = 0; i < repeats; ++i) {
        const Clock start = Clock::now();
        body();
        const Clock spent = Clock::now() - start;
        best = {std::min(best.wall_s, spent.wall_s), std::min(best.cpu_s, spent.cpu_s)};
    }
    return best;
}

void fill(const Buffer& buffer, double scale) {
    const PhiloxKey key{1, RandomPurpose::kTest, static_cast<uint64_t>(buffer.count), 0};
    for (int64_t i = 0; i < buffer.count; ++i) {
        const PhiloxBlock block = philox_draw(key, static_cast<uint64_t>(i));
        const auto value =
            static_cast<float>(scale * (2 * uniform_double(block.word[0], block.word[1]) - 1));
        if (buffer.dtype == DType::kBF16) {
            static_cast<tensor::BFloat16*>(buffer.data)[i] = tensor::to_bf16(value);
        } else {
            static_cast<float*>(buffer.data)[i] = value;
        }
    }
}

/// The model, its weights, gradients and optimizer state.
struct Trainer {
    model::Transformer& transformer;
    DType compute;
    std::vector<Buffer> weight, gradient, master, m, v;
    std::vector<int32_t> tokens, targets;

    Trainer(model::Transformer& model, tensor::Alloc& alloc)
        : transformer(model), compute(model.options().compute) {
        for (const parallel::ParamSpec& spec : model.params()) {
            const int64_t count = tensor::num_elements(spec.shape);
            weight.push_back(alloc.get(MemoryClass::kParameter, count, compute, spec.name));
            gradient.push_back(alloc.get(MemoryClass::kGradient, count, DType::kF32, spec.name));
            master.push_back(compute == DType::kBF16
                                 ? alloc.get(MemoryClass::kMaster, count, DType::kF32, spec.name)
                                 : weight.back());
            m.push_back(alloc.get(MemoryClass::kMoment, count, DType::kF32, spec.name));
            v.push_back(alloc.get(MemoryClass::kMoment, count, DType::kF32, spec.name));
        }
    }
    void prepare() {
        kernels::Stream stream = kernels::Stream::cpu();
        for (size_t i = 0; i < weight.size(); ++i) {
            fill(master[i], transformer.params()[i].shape.size() == 2 ? 0.02 : 1);
            ops::cast(stream,
                      {DType::kF32, compute, weight[i].count, master[i].data, weight[i].data});
            transformer.bind(static_cast<int>(i), weight[i], gradient[i]);
        }
        for (int32_t i = 0; i < kRows; ++i) {
            tokens.push_back(i * 977 % 50257);
            targets.push_back(i * 3331 % 50257);
        }
    }
    void gradients() {
        transformer.forward_train({tokens.data(), targets.data(), kBatch, kLength}, 1.0 / kRows);
        transformer.backward();
    }
    void update() {
        kernels::Stream stream = kernels::Stream::cpu();
        for (size_t i = 0; i < weight.size(); ++i) {
            kernels::AdamWArgs args;
            args.count = weight[i].count;
            args.grad = gradient[i].data;
            args.master = master[i].data;
            args.m = m[i].data;
            args.v = v[i].data;
            if (compute == DType::kBF16) {
                args.weights = static_cast<tensor::BFloat16*>(weight[i].data);
            }
            args.learning_rate = 1e-5;
            ops::adamw(stream, args);
        }
    }
};

/// Seconds of oneDNN for every matrix product of the step, each shape alone on warm buffers.
Clock matmul_only(DType compute, int64_t layers, int repeats) {
    struct Shape {
        int64_t out, in, count;
        bool stored_in_out;
    };
    const Shape shapes[] = {{2304, 768, layers, true},
                            {768, 768, layers, true},
                            {3072, 768, layers, true},
                            {768, 3072, layers, true},
                            {50257, 768, 1, false}};
    Clock total{0, 0};
    kernels::Stream stream = kernels::Stream::cpu();
    for (const Shape& s : shapes) {
        const auto bytes = tensor::size_of(compute);
        std::vector<std::byte> x(static_cast<size_t>(kRows * s.in) * bytes);
        std::vector<std::byte> y(static_cast<size_t>(kRows * s.out) * bytes);
        std::vector<std::byte> w(static_cast<size_t>(s.in * s.out) * bytes);
        std::vector<float> dw(static_cast<size_t>(s.in * s.out));
        fill({x.data(), kRows * s.in, compute}, 1);
        fill({w.data(), s.in * s.out, compute}, 1);
        const int64_t w_ld = s.stored_in_out ? s.out : s.in;
        const auto run = [&](kernels::MatmulArgs args) {
            ops::matmul(stream, args);  // creates the primitive
            const Clock best = best_of(repeats, [&] { ops::matmul(stream, args); });
            total.wall_s += best.wall_s * static_cast<double>(s.count);
            total.cpu_s += best.cpu_s * static_cast<double>(s.count);
        };
        run({compute, compute, kRows, s.out, s.in, false, !s.stored_in_out, x.data(), w.data(),
             y.data(), s.in, w_ld, s.out});
        run({compute, compute, kRows, s.in, s.out, false, s.stored_in_out, y.data(), w.data(),
             x.data(), s.out, w_ld, s.in});
        run({compute, DType::kF32, s.out, s.in, kRows, true, false, y.data(), x.data(), dw.data(),
             s.out, s.in, s.in, nullptr, true});
    }
    return total;
}

void report(const char* what, const Clock& time, double flops) {
    std::printf("%-28s %8.3f s wall %8.3f s cpu %8.1f GFLOP/s per CPU-second\n", what, time.wall_s,
                time.cpu_s, flops / time.cpu_s / 1e9);
}

void bench(DType compute, int64_t layers, int repeats) {
    model::ModelConfig config;
    config.num_layers = layers;
    model::TransformerOptions options;
    options.micro_batch = kBatch;
    options.seq_len = kLength;
    options.compute = compute;
    tensor::CountingAlloc counting;
    model::Transformer counted(config, options, counting);
    const Trainer sizes(counted, counting);
    tensor::ArenaAlloc alloc(counting.used());
    model::Transformer transformer(config, options, alloc);
    Trainer trainer(transformer, alloc);
    trainer.prepare();
    trainer.gradients();  // first touch, primitives
    trainer.update();
    const double flops = kRows * model::flops_per_token(transformer.config(), kLength);
    const Clock both = best_of(repeats, [&] { trainer.gradients(); });
    const Clock update = best_of(repeats, [&] { trainer.update(); });
    const Clock matmul = matmul_only(compute, layers, repeats);
    std::printf("GPT-2, %d layers, %.1fM parameters, %s, %d x %d tokens, %d thread(s), %.2f GiB\n",
                static_cast<int>(layers),
                static_cast<double>(model::num_parameters(transformer.config())) / 1e6,
                std::string(tensor::name_of(compute)).c_str(), static_cast<int>(kBatch),
                static_cast<int>(kLength), kernels::cpu::max_threads(),
                static_cast<double>(tensor::total_bytes(counting.used())) / (1 << 30));
    const Clock step{both.wall_s + update.wall_s, both.cpu_s + update.cpu_s};
    report("forward and backward", both, flops);
    report("AdamW", update, 0);
    report("whole step", step, flops);
    report("oneDNN, same products alone", matmul, flops);
    std::printf("tokens/s %.0f wall, %.0f per CPU-second; step reaches %.0f %% of oneDNN alone\n",
                kRows / step.wall_s, kRows / step.cpu_s, 100 * matmul.cpu_s / step.cpu_s);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string dtype = argc > 1 ? argv[1] : "f32";
    const int64_t layers = argc > 2 ? std::atoll(argv[2]) : 12;
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
    if ((dtype != "f32" && dtype != "bf16") || layers < 1 || repeats < 1) {
        std::fprintf(stderr, "usage: train_bench [f32|bf16] [layers] [repeats]\n");
        return 2;
    }
    bench(dtype == "f32" ? DType::kF32 : DType::kBF16, layers, repeats);
    return 0;
}
