// SPDX-License-Identifier: BSD-3-Clause
// Rotary position embedding, half-split, in place; the contract is kernels/rope.h. One thread
// rotates eight pairs (i, i + D/2) of one head.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/group.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/rope.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr const char* kOp = "rope";

template <class T>
struct Rotation {
    T* x;
    const Accumulator<T>* cosines;  // (positions, D / 2)
    const Accumulator<T>* sines;
    const int32_t* document_begins;  // (rows), or null
    int64_t rows, num_heads, half, row_stride, seq_len, first_position;
    bool inverse, is_aligned, tables_are_aligned;
};

template <class T>
__global__ void __launch_bounds__(kThreads) rope_kernel(Rotation<T> r) {
    using Acc = Accumulator<T>;
    const int64_t groups_per_head = (r.half + kGroup - 1) / kGroup;
    const int64_t first = global_thread() % groups_per_head * kGroup;
    const int64_t head = global_thread() / groups_per_head % r.num_heads;
    const int64_t row = global_thread() / groups_per_head / r.num_heads;
    if (row >= r.rows) return;
    const int size = group_count(first, r.half);
    const int64_t begin = r.document_begins == nullptr ? 0 : r.document_begins[row];
    const int64_t angle = (r.first_position + row % r.seq_len - begin) * r.half + first;
    T* low_half = r.x + row * r.row_stride + head * 2 * r.half + first;

    Group<T> low, high;
    Group<Acc> cosine, sine;
    low.load(low_half, size, r.is_aligned);
    high.load(low_half + r.half, size, r.is_aligned);
    cosine.load(r.cosines + angle, size, r.tables_are_aligned);
    sine.load(r.sines + angle, size, r.tables_are_aligned);
    for (int i = 0; i < kGroup; ++i) {
        const Acc a = widen(low[i]), b = widen(high[i]), c = cosine[i];
        const Acc s = r.inverse ? -sine[i] : sine[i];
        low[i] = narrow<T>(a * c - b * s);
        high[i] = narrow<T>(b * c + a * s);
    }
    low.store(low_half, size, r.is_aligned);
    high.store(low_half + r.half, size, r.is_aligned);
}

template <class T>
void run(Stream& stream, const RopeArgs& args) {
    const int64_t half = args.head_dim / 2;
    auto* x = static_cast<T*>(args.x);
    const auto* cosines = static_cast<const Accumulator<T>*>(args.cosines);
    const auto* sines = static_cast<const Accumulator<T>*>(args.sines);
    const Rotation<T> rotation{
        x,
        cosines,
        sines,
        args.document_begins,
        args.rows,
        args.num_heads,
        half,
        args.row_stride,
        args.seq_len,
        args.first_position,
        args.inverse,
        groups_are_aligned(x, half) && groups_are_aligned(x, args.row_stride),
        groups_are_aligned(cosines, half) && groups_are_aligned(sines, half)};
    const int64_t num_groups = args.rows * args.num_heads * blocks_for(half, kGroup);
    launch(kOp, rope_kernel<T>, {blocks_for(num_groups, kThreads), kThreads}, stream, rotation);
}

}  // namespace

void rope(Stream& stream, const RopeArgs& args) {
    require(args.rows >= 0 && args.num_heads > 0 && args.seq_len > 0 && args.first_position >= 0,
            kOp, "need rows >= 0, num_heads > 0, seq_len > 0 and first_position >= 0");
    require(args.head_dim > 0 && args.head_dim % 2 == 0, kOp, "head_dim must be even");
    require(args.row_stride >= args.num_heads * args.head_dim, kOp,
            "row_stride is shorter than the heads of a row");
    if (args.rows == 0) return;
    require_buffer(args.x, tensor::size_of(args.dtype), kOp, "x");
    require_buffer(args.cosines, sizeof(float), kOp, "cosines");
    require_buffer(args.sines, sizeof(float), kOp, "sines");
    with_float_type(args.dtype, kOp,
                    [&](auto tag) { run<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
