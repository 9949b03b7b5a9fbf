// SPDX-License-Identifier: BSD-3-Clause
// Matrix product with every sum in order of k; the contract is kernels/matmul.h (kFixedOrder).
// One block computes a tile of 32 x 32 of C; tiles of A and B pass through shared memory.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/matmul.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kTile = 32;
constexpr int kPitch = kTile + 1;  // an odd pitch: columns of a tile lie in different banks
constexpr int kThreads = 256;
constexpr int kRowsApart = kThreads / kTile;  // a thread owns rows r, r + 8, r + 16, r + 24
constexpr int kRowsPerThread = kTile / kRowsApart;
constexpr const char* kOp = "matmul_fixed_order";

/// A matrix as stored, read as if it were op(matrix).
template <class T>
struct Operand {
    const T* data;
    int64_t stride;
    bool is_transposed;

    __device__ __forceinline__ T at(int64_t row, int64_t column) const {
        return is_transposed ? data[column * stride + row] : data[row * stride + column];
    }
};

template <class T, class Out>
struct Product {
    Operand<T> a, b;
    Out* c;
    int64_t ldc;
    const T* bias;
    bool accumulate;
    int64_t m, n, k;
};

/// tile[i][j] = op(matrix)(first_row + i, first_column + j), zero outside (rows, columns).
template <class T>
__device__ void load_tile(Accumulator<T> (*tile)[kPitch], const Operand<T>& matrix,
                          int64_t first_row, int64_t rows, int64_t first_column, int64_t columns) {
    for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
        // Neighbouring threads read neighbouring addresses, whichever way the matrix is stored.
        const int row = matrix.is_transposed ? i % kTile : i / kTile;
        const int column = matrix.is_transposed ? i / kTile : i % kTile;
        const bool is_inside = first_row + row < rows && first_column + column < columns;
        tile[row][column] =
            is_inside ? widen(matrix.at(first_row + row, first_column + column)) : 0;
    }
}

template <class T, class Out>
__device__ void store(const Product<T, Out>& p, int64_t row, int64_t column, Accumulator<T> value) {
    if (row >= p.m || column >= p.n) return;
    Out& c = p.c[row * p.ldc + column];
    if (p.bias != nullptr) value += widen(p.bias[column]);
    if (p.accumulate) value += widen(c);
    c = narrow<Out>(value);
}

template <class T, class Out>
__global__ void __launch_bounds__(kThreads) matmul_kernel(Product<T, Out> p) {
    using Acc = Accumulator<T>;
    __shared__ Acc tile_a[kTile][kPitch];
    __shared__ Acc tile_b[kTile][kPitch];
    const int64_t tiles_across = (p.n + kTile - 1) / kTile;
    const int64_t first_row = blockIdx.x / tiles_across * kTile;
    const int64_t first_column = blockIdx.x % tiles_across * kTile;
    const int column = threadIdx.x % kTile;
    const int row = threadIdx.x / kTile;

    Acc sums[kRowsPerThread] = {};
    for (int64_t first_k = 0; first_k < p.k; first_k += kTile) {
        load_tile(tile_a, p.a, first_row, p.m, first_k, p.k);
        load_tile(tile_b, p.b, first_k, p.k, first_column, p.n);
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {  // beyond K: zeros, which change nothing
            for (int i = 0; i < kRowsPerThread; ++i) {
                sums[i] += tile_a[row + i * kRowsApart][k] * tile_b[k][column];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < kRowsPerThread; ++i) {
        store(p, first_row + row + i * kRowsApart, first_column + column, sums[i]);
    }
}

template <class T, class Out>
void run(Stream& stream, const MatmulArgs& args) {
    const Product<T, Out> product{{static_cast<const T*>(args.a), args.lda, args.transpose_a},
                                  {static_cast<const T*>(args.b), args.ldb, args.transpose_b},
                                  static_cast<Out*>(args.c),
                                  args.ldc,
                                  static_cast<const T*>(args.bias),
                                  args.accumulate,
                                  args.m,
                                  args.n,
                                  args.k};
    const int64_t num_tiles = blocks_for(args.m, kTile) * blocks_for(args.n, kTile);
    launch(kOp, matmul_kernel<T, Out>, {num_tiles, kThreads}, stream, product);
}

}  // namespace

void matmul_fixed_order(Stream& stream, const MatmulArgs& args) {
    switch (args.dtype) {
        case tensor::DType::kF64:
            return run<double, double>(stream, args);
        case tensor::DType::kF32:
            return run<float, float>(stream, args);
        case tensor::DType::kBF16:
            return args.out_dtype == tensor::DType::kBF16 ? run<BFloat16, BFloat16>(stream, args)
                                                          : run<BFloat16, float>(stream, args);
        default:
            unsupported_dtype(args.dtype, kOp);
    }
}

}  // namespace longhaul::kernels::cuda
