// SPDX-License-Identifier: BSD-3-Clause
// AdamW; the contract is kernels/adamw.h. One thread updates one group of eight consecutive
// elements of the *global* tensor, because such a group shares one Philox block; a run may begin
// and end inside one.
#include <cmath>

#include "kernels/adamw.h"
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/group.cuh"
#include "kernels/cuda/launch.cuh"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 2;  // left alone, ptxas spills the f64 kernel with bf16 gradients
constexpr const char* kOp = "adamw";

/// The arguments in the type of the state, with the bias corrections worked out.
template <class State>
struct Coefficients {
    State learning_rate, beta1, beta2, epsilon, weight_decay, grad_scale, correction1, correction2;
};

template <class State, class Grad>
struct Arrays {
    const Grad* grad;
    State* master;
    State* m;
    State* v;
    BFloat16* weights;
};

struct RunOfElements {
    int64_t first;  // global index of element 0
    int64_t count;
    bool is_aligned;  // every whole group of every array starts at a multiple of 16 bytes
};

struct RoundingKey {
    uint64_t seed, tensor_stream;
    uint32_t step;
    Rounding rounding;
};

template <class State>
__device__ __forceinline__ void update(State grad, State& master, State& m, State& v,
                                       const Coefficients<State>& c) {
    const State g = grad * c.grad_scale;
    m = c.beta1 * m + (State{1} - c.beta1) * g;
    v = c.beta2 * v + (State{1} - c.beta2) * g * g;
    const State direction = m * c.correction1 / (square_root(v * c.correction2) + c.epsilon);
    master -= c.learning_rate * (direction + c.weight_decay * master);
}

__device__ __forceinline__ BFloat16 round_weight(float master, const RoundingKey& key,
                                                 const PhiloxBlock& random, int64_t element) {
    if (key.rounding == Rounding::kNearestEven) return narrow<BFloat16>(master);
    return tensor::to_bf16_stochastic(master, rounding_bits(random, element));
}

template <class State, class Grad>
__device__ void update_whole_group(const Arrays<State, Grad>& a, int64_t local, int64_t element,
                                   const Coefficients<State>& c, const RoundingKey& key,
                                   const PhiloxBlock& random) {
    Group<Grad> grad;
    Group<State> master, m, v;
    grad.load(a.grad + local, kGroup, true);
    master.load(a.master + local, kGroup, true);
    m.load(a.m + local, kGroup, true);
    v.load(a.v + local, kGroup, true);
    for (int i = 0; i < kGroup; ++i) update<State>(widen(grad[i]), master[i], m[i], v[i], c);
    master.store(a.master + local, kGroup, true);
    m.store(a.m + local, kGroup, true);
    v.store(a.v + local, kGroup, true);
    if (a.weights == nullptr) return;
    Group<BFloat16> weights;
    for (int i = 0; i < kGroup; ++i) {
        weights[i] = round_weight(static_cast<float>(master[i]), key, random, element + i);
    }
    weights.store(a.weights + local, kGroup, true);
}

template <class State, class Grad>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    adamw_kernel(Arrays<State, Grad> a, RunOfElements run, Coefficients<State> c, RoundingKey key) {
    const int64_t group =
        run.first / kGroup + static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const int64_t start = group * kGroup - run.first;  // in elements of the run; may be negative
    if (start >= run.count) return;
    const bool draws = a.weights != nullptr && key.rounding == Rounding::kStochastic;
    const PhiloxBlock random =
        draws ? rounding_block(key.seed, key.tensor_stream, key.step, static_cast<uint64_t>(group))
              : PhiloxBlock{};
    if (run.is_aligned && start >= 0 && start + kGroup <= run.count) {
        update_whole_group(a, start, group * kGroup, c, key, random);
        return;
    }
    for (int64_t i = start < 0 ? 0 : start; i < start + kGroup && i < run.count; ++i) {
        update<State>(widen(a.grad[i]), a.master[i], a.m[i], a.v[i], c);
        if (a.weights != nullptr) {
            a.weights[i] =
                round_weight(static_cast<float>(a.master[i]), key, random, run.first + i);
        }
    }
}

/// Whether the groups of the global tensor start at multiples of 16 bytes in this array of the run.
template <class T>
bool groups_start_aligned(const T* array, int64_t first_element) {
    const auto address = reinterpret_cast<uintptr_t>(array);
    return (address - static_cast<uintptr_t>(first_element) * sizeof(T)) % kVectorBytes == 0;
}

template <class State, class Grad>
void run(Stream& stream, const AdamWArgs& args) {
    const Arrays<State, Grad> arrays{static_cast<const Grad*>(args.grad),
                                     static_cast<State*>(args.master), static_cast<State*>(args.m),
                                     static_cast<State*>(args.v), args.weights};
    const int64_t first = args.first_element;
    const bool is_aligned =
        groups_start_aligned(arrays.grad, first) && groups_start_aligned(arrays.master, first) &&
        groups_start_aligned(arrays.m, first) && groups_start_aligned(arrays.v, first) &&
        (arrays.weights == nullptr || groups_start_aligned(arrays.weights, first));
    const double step = args.step;
    const Coefficients<State> coefficients{
        static_cast<State>(args.learning_rate),
        static_cast<State>(args.beta1),
        static_cast<State>(args.beta2),
        static_cast<State>(args.epsilon),
        static_cast<State>(args.weight_decay),
        static_cast<State>(args.grad_scale),
        static_cast<State>(1.0 / (1.0 - std::pow(args.beta1, step))),
        static_cast<State>(1.0 / (1.0 - std::pow(args.beta2, step)))};
    const int64_t num_groups =
        args.count == 0 ? 0 : blocks_for(first + args.count, kGroup) - first / kGroup;
    launch(kOp, adamw_kernel<State, Grad>, {blocks_for(num_groups, kThreads), kThreads}, stream,
           arrays, RunOfElements{first, args.count, is_aligned}, coefficients,
           RoundingKey{args.seed, args.tensor_stream, args.step, args.rounding});
}

template <class State>
void run_with_grad(Stream& stream, const AdamWArgs& args) {
    switch (args.grad_dtype) {
        case tensor::DType::kF32:
            return run<State, float>(stream, args);
        case tensor::DType::kBF16:
            return run<State, BFloat16>(stream, args);
        default:
            unsupported_dtype(args.grad_dtype, kOp);
    }
}

}  // namespace

void adamw(Stream& stream, const AdamWArgs& args) {
    const size_t state_bytes = tensor::size_of(args.state_dtype);
    require(args.count >= 0 && args.first_element >= 0, kOp,
            "count and first_element must be >= 0");
    require(args.step >= 1, kOp, "step counts from 1");
    require(args.weights == nullptr || args.state_dtype == tensor::DType::kF32, kOp,
            "bf16 weights need f32 masters");
    if (args.count == 0) return;
    require_buffer(args.grad, tensor::size_of(args.grad_dtype), kOp, "grad");
    require_buffer(args.master, state_bytes, kOp, "master");
    require_buffer(args.m, state_bytes, kOp, "m");
    require_buffer(args.v, state_bytes, kOp, "v");
    require_optional_buffer(args.weights, sizeof(BFloat16), kOp, "weights");
    if (args.state_dtype == tensor::DType::kF32) return run_with_grad<float>(stream, args);
    require(args.state_dtype == tensor::DType::kF64, kOp, "state must be f32 or f64");
    if (args.grad_dtype == tensor::DType::kF64) return run<double, double>(stream, args);
    run_with_grad<double>(stream, args);
}

}  // namespace longhaul::kernels::cuda
