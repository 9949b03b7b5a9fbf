// SPDX-License-Identifier: BSD-3-Clause
// Token embedding and its gradient; the contract is kernels/embedding.h.
// Suffixes: R tokens, C columns. One block a token row. The gradient of a table row is summed by
// the block of the token's first occurrence, which looks for the others in order: no atomics, so
// the same bits every time, and the same order as on the CPU.
#include "kernels/embedding.h"

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr const char* kForward = "embedding_forward";
constexpr const char* kBackward = "embedding_backward";

template <class T>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(EmbeddingForwardArgs args, const T* table_VC, const T* positions_PC, T* out_RC) {
    const int64_t row = blockIdx.x;
    const T* from = table_VC + args.tokens[row] * args.columns;
    T* out = out_RC + row * args.columns;
    const int64_t begin = args.document_begins == nullptr ? 0 : args.document_begins[row];
    const int64_t position =
        args.first_position + (positions_PC == nullptr ? 0 : row % args.seq_len - begin);
    for (int64_t c = threadIdx.x; c < args.columns; c += blockDim.x) {
        Accumulator<T> value = widen(from[c]);
        if (positions_PC != nullptr) value += widen(positions_PC[position * args.columns + c]);
        out[c] = narrow<T>(value);
    }
}

/// Whether `token` occurs among the first `count` tokens; the same answer for the whole block.
__device__ bool occurs_before(const int32_t* tokens, int64_t count, int32_t token) {
    for (int64_t start = 0; start < count; start += blockDim.x) {
        const int64_t i = start + threadIdx.x;
        if (__syncthreads_or(i < count && tokens[i] == token) != 0) return true;
    }
    return false;
}

/// sum[c] += grad_out[r, c] of the rows r in [first, rows) that match, in order, by the whole
/// block.
template <class T, class IsMatch>
__device__ void add_matching_rows(const T* grad_out_RC, Accumulator<T>* sum_C, int64_t first,
                                  int64_t rows, int64_t columns, const IsMatch& matches) {
    __shared__ bool is_match[kThreads];
    for (int64_t start = first; start < rows; start += kThreads) {
        const int64_t mine = start + threadIdx.x;
        is_match[threadIdx.x] = mine < rows && matches(mine);
        if (__syncthreads_or(is_match[threadIdx.x]) != 0) {
            for (int i = 0; i < kThreads; ++i) {
                if (!is_match[i]) continue;
                const T* row = grad_out_RC + (start + i) * columns;
                for (int64_t c = threadIdx.x; c < columns; c += kThreads) {
                    sum_C[c] += widen(row[c]);
                }
            }
            __syncthreads();  // is_match is about to be overwritten
        }
    }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    table_kernel(const int32_t* tokens_R, const T* grad_out_RC, Accumulator<T>* grad_table_VC,
                 int64_t rows, int64_t columns) {
    const int64_t first = blockIdx.x;
    const int32_t token = tokens_R[first];
    if (occurs_before(tokens_R, first, token)) return;
    add_matching_rows(grad_out_RC, grad_table_VC + token * columns, first, rows, columns,
                      [&](int64_t row) { return tokens_R[row] == token; });
}

/// One block a position: rows position, position + seq_len, ... in order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    positions_kernel(const T* grad_out_RC, Accumulator<T>* grad_positions_PC, int64_t rows,
                     int64_t columns, int64_t seq_len) {
    const int64_t position = blockIdx.x;
    for (int64_t c = threadIdx.x; c < columns; c += blockDim.x) {
        Accumulator<T> total = grad_positions_PC[position * columns + c];
        for (int64_t row = position; row < rows; row += seq_len) {
            total += widen(grad_out_RC[row * columns + c]);
        }
        grad_positions_PC[position * columns + c] = total;
    }
}

/// The same with documents: the block of a position looks for its rows in order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    document_positions_kernel(const T* grad_out_RC, const int32_t* begins_R,
                              Accumulator<T>* grad_positions_PC, int64_t rows, int64_t columns,
                              int64_t seq_len) {
    const int64_t position = blockIdx.x;
    add_matching_rows(grad_out_RC, grad_positions_PC + position * columns, 0, rows, columns,
                      [&](int64_t row) { return row % seq_len - begins_R[row] == position; });
}

template <class T>
void backward(Stream& stream, const EmbeddingBackwardArgs& args) {
    const auto* grad_out = static_cast<const T*>(args.grad_out);
    if (args.grad_table != nullptr) {
        launch(kBackward, table_kernel<T>, {args.rows, kThreads}, stream, args.tokens, grad_out,
               static_cast<Accumulator<T>*>(args.grad_table), args.rows, args.columns);
    }
    if (args.grad_positions == nullptr) return;
    const int64_t num_positions = args.rows < args.seq_len ? args.rows : args.seq_len;
    auto* grad_positions = static_cast<Accumulator<T>*>(args.grad_positions);
    if (args.document_begins != nullptr) {
        launch(kBackward, document_positions_kernel<T>, {num_positions, kThreads}, stream, grad_out,
               args.document_begins, grad_positions, args.rows, args.columns, args.seq_len);
    } else {
        launch(kBackward, positions_kernel<T>, {num_positions, kThreads}, stream, grad_out,
               grad_positions, args.rows, args.columns, args.seq_len);
    }
}

}  // namespace

void embedding_forward(Stream& stream, const EmbeddingForwardArgs& args) {
    require(args.rows >= 0 && args.columns > 0, kForward, "rows must be >= 0 and columns > 0");
    require(args.positions == nullptr || args.seq_len > 0, kForward, "positions need seq_len > 0");
    if (args.rows == 0) return;
    require_buffer(args.tokens, sizeof(int32_t), kForward, "tokens");
    require_buffer(args.table, tensor::size_of(args.dtype), kForward, "table");
    require_buffer(args.out, tensor::size_of(args.dtype), kForward, "out");
    with_float_type(args.dtype, kForward, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        launch(kForward, forward_kernel<T>, {args.rows, kThreads}, stream, args,
               static_cast<const T*>(args.table), static_cast<const T*>(args.positions),
               static_cast<T*>(args.out));
    });
}

void embedding_backward(Stream& stream, const EmbeddingBackwardArgs& args) {
    require(args.rows >= 0 && args.columns > 0, kBackward, "rows must be >= 0 and columns > 0");
    require(args.grad_positions == nullptr || args.seq_len > 0, kBackward,
            "grad_positions needs seq_len > 0");
    if (args.rows == 0) return;
    require_buffer(args.tokens, sizeof(int32_t), kBackward, "tokens");
    require_buffer(args.grad_out, tensor::size_of(args.dtype), kBackward, "grad_out");
    with_float_type(args.dtype, kBackward,
                    [&](auto tag) { backward<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
