// SPDX-License-Identifier: BSD-3-Clause
// SwiGLU on packed rows [gate | up]; the contract is kernels/swiglu.h. Suffixes: R rows, F columns.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/group.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/swiglu.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;

template <class Acc>
__device__ __forceinline__ Acc sigmoid(Acc x) {
    return Acc{1} / (Acc{1} + exponential(-x));
}

/// Where a thread works: one group of columns of one row.
struct Place {
    int64_t row, column;
    int size;  // 0: this thread has nothing to do
};

__device__ __forceinline__ Place find_place(int64_t rows, int64_t columns) {
    const int64_t groups_per_row = (columns + kGroup - 1) / kGroup;
    const int64_t row = global_thread() / groups_per_row;
    const int64_t column = global_thread() % groups_per_row * kGroup;
    return {row, column, row < rows ? group_count(column, columns) : 0};
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* gate_up_R2F, T* out_RF, int64_t rows, int64_t columns,
                   bool is_aligned) {
    const Place place = find_place(rows, columns);
    if (place.size == 0) return;
    const T* gate_row = gate_up_R2F + place.row * 2 * columns + place.column;
    Group<T> gate, up;
    gate.load(gate_row, place.size, is_aligned);
    up.load(gate_row + columns, place.size, is_aligned);
    for (int i = 0; i < kGroup; ++i) {
        const Accumulator<T> g = widen(gate[i]);
        gate[i] = narrow<T>(g * sigmoid(g) * widen(up[i]));
    }
    gate.store(out_RF + place.row * columns + place.column, place.size, is_aligned);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* gate_up_R2F, const T* grad_out_RF, T* grad_gate_up_R2F, int64_t rows,
                    int64_t columns, bool is_aligned) {
    using Acc = Accumulator<T>;
    const Place place = find_place(rows, columns);
    if (place.size == 0) return;
    const int64_t start = place.row * 2 * columns + place.column;
    Group<T> gate, up, grad;
    gate.load(gate_up_R2F + start, place.size, is_aligned);
    up.load(gate_up_R2F + start + columns, place.size, is_aligned);
    grad.load(grad_out_RF + place.row * columns + place.column, place.size, is_aligned);
    for (int i = 0; i < kGroup; ++i) {
        const Acc g = widen(gate[i]), u = widen(up[i]), d = widen(grad[i]);
        const Acc s = sigmoid(g);
        gate[i] = narrow<T>(d * u * s * (Acc{1} + g * (Acc{1} - s)));
        up[i] = narrow<T>(d * g * s);
    }
    gate.store(grad_gate_up_R2F + start, place.size, is_aligned);
    up.store(grad_gate_up_R2F + start + columns, place.size, is_aligned);
}

constexpr const char* kForward = "swiglu_forward";
constexpr const char* kBackward = "swiglu_backward";

LaunchShape shape_for(int64_t rows, int64_t columns) {
    return {blocks_for(rows * blocks_for(columns, kGroup), kThreads), kThreads};
}

template <class T>
void forward(Stream& stream, const SwigluForwardArgs& args) {
    const auto* gate_up = static_cast<const T*>(args.gate_up);
    auto* out = static_cast<T*>(args.out);
    const bool is_aligned =
        groups_are_aligned(gate_up, args.columns) && groups_are_aligned(out, args.columns);
    launch(kForward, forward_kernel<T>, shape_for(args.rows, args.columns), stream, gate_up, out,
           args.rows, args.columns, is_aligned);
}

template <class T>
void backward(Stream& stream, const SwigluBackwardArgs& args) {
    const auto* gate_up = static_cast<const T*>(args.gate_up);
    const auto* grad_out = static_cast<const T*>(args.grad_out);
    auto* grad_gate_up = static_cast<T*>(args.grad_gate_up);
    const bool is_aligned = groups_are_aligned(gate_up, args.columns) &&
                            groups_are_aligned(grad_out, args.columns) &&
                            groups_are_aligned(grad_gate_up, args.columns);
    launch(kBackward, backward_kernel<T>, shape_for(args.rows, args.columns), stream, gate_up,
           grad_out, grad_gate_up, args.rows, args.columns, is_aligned);
}

}  // namespace

void swiglu_forward(Stream& stream, const SwigluForwardArgs& args) {
    require(args.rows >= 0 && args.columns > 0, kForward, "rows must be >= 0 and columns > 0");
    if (args.rows == 0) return;
    require_buffer(args.gate_up, tensor::size_of(args.dtype), kForward, "gate_up");
    require_buffer(args.out, tensor::size_of(args.dtype), kForward, "out");
    with_float_type(args.dtype, kForward,
                    [&](auto tag) { forward<typename decltype(tag)::Type>(stream, args); });
}

void swiglu_backward(Stream& stream, const SwigluBackwardArgs& args) {
    require(args.rows >= 0 && args.columns > 0, kBackward, "rows must be >= 0 and columns > 0");
    if (args.rows == 0) return;
    require_buffer(args.gate_up, tensor::size_of(args.dtype), kBackward, "gate_up");
    require_buffer(args.grad_out, tensor::size_of(args.dtype), kBackward, "grad_out");
    require_buffer(args.grad_gate_up, tensor::size_of(args.dtype), kBackward, "grad_gate_up");
    with_float_type(args.dtype, kBackward,
                    [&](auto tag) { backward<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
