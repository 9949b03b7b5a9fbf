// SPDX-License-Identifier: BSD-3-Clause
// Fused residual addition and LayerNorm; the contract is kernels/layernorm.h.
// Shape suffixes: R rows, C columns. Rows: one block each, in vectors of 16 bytes. Weight
// gradients: a kernel of their own that walks down columns, because it needs no scratch memory.
#include "kernels/layernorm.h"

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/sum_columns.cuh"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 4;

template <class T>
struct ForwardArrays {
    const T* x_RC;
    const T* residual_RC;  // or null
    const T* weight_C;
    const T* bias_C;
    T* sum_RC;  // or null
    T* out_RC;
    Accumulator<T>* mean_R;
    Accumulator<T>* rstd_R;
};

/// sum = x + residual (rounded, stored if asked for); returns the sum of this thread's elements.
template <class T>
__device__ Accumulator<T> add_residual(const T* x, const T* residual, T* sum, int64_t num_vectors) {
    Accumulator<T> total = 0;
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        Vector<T> value = load_vector(x, i);
        if (residual != nullptr) {
            const Vector<T> other = load_vector(residual, i);
            for (int k = 0; k < Vector<T>::kSize; ++k) {
                value.element[k] = narrow<T>(widen(value.element[k]) + widen(other.element[k]));
            }
        }
        if (sum != nullptr) store_vector(sum, i, value);
        for (int k = 0; k < Vector<T>::kSize; ++k) total += widen(value.element[k]);
    }
    return total;
}

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    forward_kernel(ForwardArrays<T> a, int64_t columns, Accumulator<T> epsilon) {
    using Acc = Accumulator<T>;
    const int64_t row = blockIdx.x, start = row * columns;
    const int64_t num_vectors = columns / Vector<T>::kSize;
    const T* residual = a.residual_RC == nullptr ? nullptr : a.residual_RC + start;
    T* sum = a.sum_RC == nullptr ? nullptr : a.sum_RC + start;
    const Acc total = add_residual(a.x_RC + start, residual, sum, num_vectors);
    const Acc mean = block_reduce(total, Sum{}, Acc{0}) / static_cast<Acc>(columns);

    // Each thread reads back what it wrote itself: no barrier, and the row is still in the cache.
    const T* values = sum != nullptr ? sum : a.x_RC + start;
    Acc squares = 0;  // of differences: E[x^2] - mean^2 would cancel
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        const Vector<T> value = load_vector(values, i);
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            const Acc difference = widen(value.element[k]) - mean;
            squares += difference * difference;
        }
    }
    const Acc variance = block_reduce(squares, Sum{}, Acc{0}) / static_cast<Acc>(columns);
    const Acc rstd = reciprocal_sqrt(variance + epsilon);
    if (threadIdx.x == 0) {
        a.mean_R[row] = mean;
        a.rstd_R[row] = rstd;
    }
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        const Vector<T> value = load_vector(values, i);
        const Vector<T> weight = load_vector(a.weight_C, i);
        const Vector<T> bias = load_vector(a.bias_C, i);
        Vector<T> result;
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            result.element[k] =
                narrow<T>((widen(value.element[k]) - mean) * rstd * widen(weight.element[k]) +
                          widen(bias.element[k]));
        }
        store_vector(a.out_RC + start, i, result);
    }
}

template <class T>
struct BackwardArrays {
    const T* grad_out_RC;
    const T* grad_residual_RC;  // or null
    const T* sum_RC;
    const T* weight_C;
    const Accumulator<T>* mean_R;
    const Accumulator<T>* rstd_R;
    T* grad_sum_RC;
};

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    backward_kernel(BackwardArrays<T> a, int64_t columns) {
    using Acc = Accumulator<T>;
    constexpr int kSize = Vector<T>::kSize;
    const int64_t row = blockIdx.x, start = row * columns;
    const int64_t num_vectors = columns / kSize;
    const Acc mean = a.mean_R[row], rstd = a.rstd_R[row];
    Acc grad_total = 0, product_total = 0;
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        const Vector<T> g = load_vector(a.grad_out_RC + start, i);
        const Vector<T> s = load_vector(a.sum_RC + start, i);
        const Vector<T> w = load_vector(a.weight_C, i);
        for (int k = 0; k < kSize; ++k) {
            const Acc grad = widen(g.element[k]) * widen(w.element[k]);
            grad_total += grad;
            product_total += grad * (widen(s.element[k]) - mean) * rstd;
        }
    }
    const Acc mean_grad = block_reduce(grad_total, Sum{}, Acc{0}) / static_cast<Acc>(columns);
    const Acc mean_product = block_reduce(product_total, Sum{}, Acc{0}) / static_cast<Acc>(columns);
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        const Vector<T> g = load_vector(a.grad_out_RC + start, i);
        const Vector<T> s = load_vector(a.sum_RC + start, i);
        const Vector<T> w = load_vector(a.weight_C, i);
        Vector<T> result{};
        if (a.grad_residual_RC != nullptr) result = load_vector(a.grad_residual_RC + start, i);
        for (int k = 0; k < kSize; ++k) {
            const Acc grad = widen(g.element[k]) * widen(w.element[k]);
            const Acc normalised = (widen(s.element[k]) - mean) * rstd;
            const Acc grad_sum = rstd * (grad - mean_grad - normalised * mean_product);
            result.element[k] = narrow<T>(widen(result.element[k]) + grad_sum);
        }
        store_vector(a.grad_sum_RC + start, i, result);
    }
}

/// The terms of grad_weight: grad_out * n.
template <class T>
struct WeightTerm {
    const T* grad_out_RC;
    const T* sum_RC;
    const Accumulator<T>* mean_R;
    const Accumulator<T>* rstd_R;
    int64_t columns;

    __device__ __forceinline__ Accumulator<T> operator()(int64_t row, int64_t column) const {
        const int64_t i = row * columns + column;
        return widen(grad_out_RC[i]) * (widen(sum_RC[i]) - mean_R[row]) * rstd_R[row];
    }
};

constexpr const char* kForward = "layernorm_forward";
constexpr const char* kBackward = "layernorm_backward";

void check_shape(const char* op, tensor::DType dtype, int64_t rows, int64_t columns) {
    require(rows >= 0 && columns > 0, op, "rows must be >= 0 and columns > 0");
    require(columns * static_cast<int64_t>(tensor::size_of(dtype)) % kVectorBytes == 0, op,
            "a row must be a multiple of 16 bytes");
}

template <class T>
void forward(Stream& stream, const LayerNormForwardArgs& args) {
    using Acc = Accumulator<T>;
    const ForwardArrays<T> arrays{
        static_cast<const T*>(args.x),      static_cast<const T*>(args.residual),
        static_cast<const T*>(args.weight), static_cast<const T*>(args.bias),
        static_cast<T*>(args.sum),          static_cast<T*>(args.out),
        static_cast<Acc*>(args.mean),       static_cast<Acc*>(args.rstd)};
    launch(kForward, forward_kernel<T>, {args.rows, kThreads}, stream, arrays, args.columns,
           args.epsilon);
}

/// The weight gradients first: grad_sum may overwrite grad_out.
template <class T>
void backward(Stream& stream, const LayerNormBackwardArgs& args) {
    using Acc = Accumulator<T>;
    const auto* grad_out = static_cast<const T*>(args.grad_out);
    const auto* sum = static_cast<const T*>(args.sum);
    const auto* mean = static_cast<const Acc*>(args.mean);
    const auto* rstd = static_cast<const Acc*>(args.rstd);
    if (args.grad_weight != nullptr) {
        launch_sum_columns(kBackward, stream,
                           WeightTerm<T>{grad_out, sum, mean, rstd, args.columns}, args.rows,
                           args.columns, static_cast<Acc*>(args.grad_weight));
    }
    if (args.grad_bias != nullptr) {
        launch_sum_columns(kBackward, stream, MatrixTerm<T>{grad_out, args.columns}, args.rows,
                           args.columns, static_cast<Acc*>(args.grad_bias));
    }
    if (args.grad_sum != nullptr) {
        const BackwardArrays<T> arrays{grad_out,
                                       static_cast<const T*>(args.grad_residual),
                                       sum,
                                       static_cast<const T*>(args.weight),
                                       mean,
                                       rstd,
                                       static_cast<T*>(args.grad_sum)};
        launch(kBackward, backward_kernel<T>, {args.rows, kThreads}, stream, arrays, args.columns);
    }
}

}  // namespace

void layernorm_forward(Stream& stream, const LayerNormForwardArgs& args) {
    check_shape(kForward, args.dtype, args.rows, args.columns);
    if (args.rows == 0) return;
    require_buffer(args.x, kVectorBytes, kForward, "x");
    require_optional_buffer(args.residual, kVectorBytes, kForward, "residual");
    require_buffer(args.weight, kVectorBytes, kForward, "weight");
    require_buffer(args.bias, kVectorBytes, kForward, "bias");
    require_optional_buffer(args.sum, kVectorBytes, kForward, "sum");
    require(args.residual == nullptr || args.sum != nullptr, kForward, "residual needs sum");
    require_buffer(args.out, kVectorBytes, kForward, "out");
    require_buffer(args.mean, sizeof(float), kForward, "mean");
    require_buffer(args.rstd, sizeof(float), kForward, "rstd");
    with_float_type(args.dtype, kForward,
                    [&](auto tag) { forward<typename decltype(tag)::Type>(stream, args); });
}

void layernorm_backward(Stream& stream, const LayerNormBackwardArgs& args) {
    check_shape(kBackward, args.dtype, args.rows, args.columns);
    if (args.rows == 0) return;
    require_buffer(args.grad_out, kVectorBytes, kBackward, "grad_out");
    require_optional_buffer(args.grad_residual, kVectorBytes, kBackward, "grad_residual");
    require_buffer(args.sum, kVectorBytes, kBackward, "sum");
    require_buffer(args.weight, kVectorBytes, kBackward, "weight");
    require_buffer(args.mean, sizeof(float), kBackward, "mean");
    require_buffer(args.rstd, sizeof(float), kBackward, "rstd");
    require_optional_buffer(args.grad_sum, kVectorBytes, kBackward, "grad_sum");
    with_float_type(args.dtype, kBackward,
                    [&](auto tag) { backward<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
