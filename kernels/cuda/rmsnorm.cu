// SPDX-License-Identifier: BSD-3-Clause
// Fused residual addition and RMSNorm; the contract is kernels/rmsnorm.h.
// Shape suffixes: R rows, C columns. One block works on one row at a time, in vectors of 16 bytes.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/rmsnorm.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
// Left alone, ptxas aims at 8 blocks an SM and spills the bf16 kernel on sm_80.
constexpr int kForwardBlocksPerSm = 4;
// Rows are dealt to at most this many blocks in backward, on every GPU: the partial sums of
// grad_weight, and with them its bits, must not depend on the device. Two waves of an H100's 132
// SMs.
constexpr int64_t kBackwardBlocks = 264;
constexpr int kReduceThreads = 128;

template <class T>
__global__ void __launch_bounds__(kThreads, kForwardBlocksPerSm)
    forward_kernel(const T* x_RC, const T* residual_RC, const T* weight_C, T* sum_RC, T* out_RC,
                   Accumulator<T>* rstd_R, int64_t columns, Accumulator<T> epsilon) {
    using Acc = Accumulator<T>;
    const int64_t row = blockIdx.x;
    const int64_t num_vectors = columns / Vector<T>::kSize;
    const T* x = x_RC + row * columns;
    const T* residual = residual_RC == nullptr ? nullptr : residual_RC + row * columns;
    T* sum = sum_RC == nullptr ? nullptr : sum_RC + row * columns;

    Acc squares = 0;
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        Vector<T> value = load_vector(x, i);
        if (residual != nullptr) {
            const Vector<T> other = load_vector(residual, i);
            for (int k = 0; k < Vector<T>::kSize; ++k) {
                value.element[k] = narrow<T>(widen(value.element[k]) + widen(other.element[k]));
            }
        }
        if (sum != nullptr) store_vector(sum, i, value);
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            const Acc wide = widen(value.element[k]);
            squares += wide * wide;
        }
    }
    const Acc mean = block_reduce(squares, Sum{}, Acc{0}) / static_cast<Acc>(columns);
    const Acc rstd = reciprocal_sqrt(mean + epsilon);
    if (threadIdx.x == 0) rstd_R[row] = rstd;

    // Each thread reads back what it wrote itself: no barrier, and the row is still in the cache.
    const T* normalised = sum != nullptr ? sum : x;
    T* out = out_RC + row * columns;
    for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
        const Vector<T> value = load_vector(normalised, i);
        const Vector<T> weight = load_vector(weight_C, i);
        Vector<T> result;
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            result.element[k] =
                narrow<T>(widen(value.element[k]) * rstd * widen(weight.element[k]));
        }
        store_vector(out, i, result);
    }
}

template <class T>
struct BackwardArrays {
    const T* grad_out_RC;
    const T* grad_residual_RC;
    const T* sum_RC;
    const T* weight_C;
    const Accumulator<T>* rstd_R;
    T* grad_sum_RC;
    Accumulator<T>* partial_BC;  // one row a block; null: grad_weight is not wanted
};

/// Mean over the row of (grad_out * weight) * (sum * rstd).
template <class T>
__device__ Accumulator<T> mean_of_products(const T* grad_out, const T* sum, const T* weight,
                                           Accumulator<T> rstd, int64_t columns) {
    using Acc = Accumulator<T>;
    Acc products = 0;
    for (int64_t i = threadIdx.x; i < columns / Vector<T>::kSize; i += blockDim.x) {
        const Vector<T> g = load_vector(grad_out, i);
        const Vector<T> s = load_vector(sum, i);
        const Vector<T> w = load_vector(weight, i);
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            products += widen(g.element[k]) * widen(w.element[k]) * widen(s.element[k]);
        }
    }
    return block_reduce(products, Sum{}, Acc{0}) * rstd / static_cast<Acc>(columns);
}

/// Dynamic shared memory: Accumulator<T>[columns], this block's part of grad_weight. Each element
/// belongs to one thread from start to end, so nothing is waited for.
template <class T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(BackwardArrays<T> a, int64_t rows, int64_t columns) {
    using Acc = Accumulator<T>;
    constexpr int kSize = Vector<T>::kSize;
    Acc* grad_weight = dynamic_shared<Acc>();
    const bool want_weight = a.partial_BC != nullptr;
    const int64_t num_vectors = columns / kSize;
    if (want_weight) {
        for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
            for (int k = 0; k < kSize; ++k) grad_weight[i * kSize + k] = 0;
        }
    }
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t start = row * columns;
        const Acc rstd = a.rstd_R[row];
        const Acc mean = a.grad_sum_RC == nullptr
                             ? Acc{0}
                             : mean_of_products(a.grad_out_RC + start, a.sum_RC + start, a.weight_C,
                                                rstd, columns);
        for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
            const Vector<T> g = load_vector(a.grad_out_RC + start, i);
            const Vector<T> s = load_vector(a.sum_RC + start, i);
            const Vector<T> w = load_vector(a.weight_C, i);
            Vector<T> result{};
            if (a.grad_residual_RC != nullptr) result = load_vector(a.grad_residual_RC + start, i);
            for (int k = 0; k < kSize; ++k) {
                const Acc grad = widen(g.element[k]);
                const Acc normalised = widen(s.element[k]) * rstd;
                const Acc grad_sum = rstd * (grad * widen(w.element[k]) - normalised * mean);
                result.element[k] = narrow<T>(widen(result.element[k]) + grad_sum);
                if (want_weight) grad_weight[i * kSize + k] += grad * normalised;
            }
            if (a.grad_sum_RC != nullptr) store_vector(a.grad_sum_RC + start, i, result);
        }
    }
    if (want_weight) {
        Acc* partial = a.partial_BC + blockIdx.x * columns;
        for (int64_t i = threadIdx.x; i < num_vectors; i += blockDim.x) {
            for (int k = 0; k < kSize; ++k) partial[i * kSize + k] = grad_weight[i * kSize + k];
        }
    }
}

/// grad_weight += the blocks' parts, in the order of the blocks. A second launch, not a last-block
/// scheme: it costs a few microseconds and needs no ordering between blocks, which tests cannot
/// prove.
template <class Acc>
__global__ void __launch_bounds__(kReduceThreads)
    add_partials_kernel(const Acc* partial_BC, Acc* grad_weight_C, int64_t num_partials,
                        int64_t columns) {
    const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    Acc total = 0;
    for (int64_t i = 0; i < num_partials; ++i) total += partial_BC[i * columns + column];
    grad_weight_C[column] += total;
}

int64_t num_backward_blocks(int64_t rows) {
    return rows < kBackwardBlocks ? rows : kBackwardBlocks;
}

// ---- launchers ---------------------------------------------------------------------------------

constexpr const char* kForward = "rmsnorm_forward";
constexpr const char* kBackward = "rmsnorm_backward";

void check_shape(const char* op, tensor::DType dtype, int64_t rows, int64_t columns) {
    require(rows >= 0 && columns > 0, op, "rows must be >= 0 and columns > 0");
    require(columns * static_cast<int64_t>(tensor::size_of(dtype)) % kVectorBytes == 0, op,
            "a row must be a multiple of 16 bytes");
}

template <class T>
void forward(Stream& stream, const RmsNormForwardArgs& args) {
    launch(kForward, forward_kernel<T>, {args.rows, kThreads}, stream,
           static_cast<const T*>(args.x), static_cast<const T*>(args.residual),
           static_cast<const T*>(args.weight), static_cast<T*>(args.sum), static_cast<T*>(args.out),
           static_cast<Accumulator<T>*>(args.rstd), args.columns, args.epsilon);
}

template <class T>
void backward(Stream& stream, const RmsNormBackwardArgs& args) {
    using Acc = Accumulator<T>;
    const bool want_weight = args.grad_weight != nullptr;
    const BackwardArrays<T> arrays{static_cast<const T*>(args.grad_out),
                                   static_cast<const T*>(args.grad_residual),
                                   static_cast<const T*>(args.sum),
                                   static_cast<const T*>(args.weight),
                                   static_cast<const Acc*>(args.rstd),
                                   static_cast<T*>(args.grad_sum),
                                   want_weight ? static_cast<Acc*>(args.scratch) : nullptr};
    const int64_t num_blocks = num_backward_blocks(args.rows);
    const size_t shared_bytes = want_weight ? args.columns * sizeof(Acc) : 0;
    launch(kBackward, backward_kernel<T>, {num_blocks, kThreads, shared_bytes}, stream, arrays,
           args.rows, args.columns);
    if (want_weight) {
        launch(kBackward, add_partials_kernel<Acc>,
               {blocks_for(args.columns, kReduceThreads), kReduceThreads}, stream,
               static_cast<const Acc*>(args.scratch), static_cast<Acc*>(args.grad_weight),
               num_blocks, args.columns);
    }
}

}  // namespace

void rmsnorm_forward(Stream& stream, const RmsNormForwardArgs& args) {
    check_shape(kForward, args.dtype, args.rows, args.columns);
    if (args.rows == 0) return;
    require_buffer(args.x, kVectorBytes, kForward, "x");
    require_optional_buffer(args.residual, kVectorBytes, kForward, "residual");
    require_buffer(args.weight, kVectorBytes, kForward, "weight");
    require_optional_buffer(args.sum, kVectorBytes, kForward, "sum");
    require(args.residual == nullptr || args.sum != nullptr, kForward, "residual needs sum");
    require_buffer(args.out, kVectorBytes, kForward, "out");
    require_buffer(args.rstd, sizeof(float), kForward, "rstd");
    with_float_type(args.dtype, kForward,
                    [&](auto tag) { forward<typename decltype(tag)::Type>(stream, args); });
}

void rmsnorm_backward(Stream& stream, const RmsNormBackwardArgs& args) {
    check_shape(kBackward, args.dtype, args.rows, args.columns);
    if (args.rows == 0) return;
    require_buffer(args.grad_out, kVectorBytes, kBackward, "grad_out");
    require_optional_buffer(args.grad_residual, kVectorBytes, kBackward, "grad_residual");
    require_buffer(args.sum, kVectorBytes, kBackward, "sum");
    require_buffer(args.weight, kVectorBytes, kBackward, "weight");
    require_buffer(args.rstd, sizeof(float), kBackward, "rstd");
    require_optional_buffer(args.grad_sum, kVectorBytes, kBackward, "grad_sum");
    if (args.grad_weight != nullptr) {
        require_buffer(args.scratch, kVectorBytes, kBackward, "scratch");
        require(args.scratch_bytes >=
                    rmsnorm_backward_scratch_bytes(args.dtype, args.rows, args.columns),
                kBackward, "scratch is too small");
    }
    with_float_type(args.dtype, kBackward,
                    [&](auto tag) { backward<typename decltype(tag)::Type>(stream, args); });
}

size_t rmsnorm_backward_scratch_bytes(tensor::DType dtype, int64_t rows, int64_t columns) {
    const size_t accumulator_bytes = dtype == tensor::DType::kF64 ? sizeof(double) : sizeof(float);
    return static_cast<size_t>(num_backward_blocks(rows) * columns) * accumulator_bytes;
}

}  // namespace longhaul::kernels::cuda
