// SPDX-License-Identifier: BSD-3-Clause
// Causal attention, backward; the contract is kernels/attention.h. Three launches
// (FlashAttention-2, Dao 2023, algorithm 2): delta = out . grad_out of every row; then grad_q by
// tiles of queries, and grad_k and grad_v by tiles of keys, so that every gradient has one writer
// and a fixed order of sums.
//   p = exp(scale q.k - lse);   ds = p (grad_out.v - delta) scale
#include "kernels/cuda/attention.cuh"

namespace longhaul::kernels::cuda {

using namespace attention;  // NOLINT: the parts of this kernel

namespace {

constexpr const char* kOp = "attention_backward";
constexpr int kDeltaThreads = 128;
// Lets grad_kv_kernel have 128 registers. Left alone, ptxas spills some to fit more blocks than the
// tiles in shared memory leave room for (5 of width 64 on sm_90, 3 of width 128).
constexpr int kBlocksPerMultiprocessor = 4;

template <class T>
struct Arrays {
    const T* q;
    const T* k;
    const T* v;
    const T* out;
    const T* grad_out;
    const Accumulator<T>* lse;
    Accumulator<T>* delta;
    T* grad_q;
    T* grad_k;
    T* grad_v;
    const int32_t* document_begins;  // (B, T), or null
    HeadLayout q_layout, kv_layout, out_layout, grad_q_layout, grad_kv_layout;
};

/// One warp a row: delta[b, h, t].
template <class T>
__global__ void __launch_bounds__(kDeltaThreads) delta_kernel(Arrays<T> a, Shape s, int64_t rows) {
    using Acc = Accumulator<T>;
    const int lane = threadIdx.x % kWarpSize;
    const int64_t row =
        (static_cast<int64_t>(blockIdx.x) * kDeltaThreads + threadIdx.x) / kWarpSize;
    if (row >= rows) return;  // the same for a whole warp
    const int64_t query = row % s.query_len, head = row / s.query_len % s.num_heads;
    const int64_t batch = row / s.query_len / s.num_heads;
    const T* out = head_of(a.out, a.out_layout, batch, head, s.head_dim).row(query);
    const T* grad = head_of(a.grad_out, a.out_layout, batch, head, s.head_dim).row(query);
    Acc sum = 0;
    for (int64_t c = lane; c < s.head_dim; c += kWarpSize) sum += widen(out[c]) * widen(grad[c]);
    sum = warp_reduce(sum, Sum{});
    if (lane == 0) a.delta[row] = sum;
}

/// Dynamic shared memory: four tiles Acc[32][pitch] (q, grad_out, k, v) and scores Acc[32][33]
/// twice.
template <int kWidth>
constexpr size_t kSharedElements = 4 * kTile* kPitch<kWidth> + 2 * kTile* kScorePitch;

template <class Acc, int kWidth>
struct Tiles {
    Acc *q, *grad_out, *k, *v, *p, *ds;

    __device__ Tiles() {
        constexpr int kTileSize = kTile * kPitch<kWidth>;
        q = dynamic_shared<Acc>();
        grad_out = q + kTileSize;
        k = grad_out + kTileSize;
        v = k + kTileSize;
        p = v + kTileSize;
        ds = p + kTile * kScorePitch;
    }
};

/// p and ds of one query row (by its four lanes) against a tile of keys, into shared memory.
template <int kWidth, class Acc>
__device__ void score_row(const Tiles<Acc, kWidth>& tiles, int row, int lane, int64_t query,
                          int32_t begin, int64_t first_key, Acc lse, Acc delta, Acc scale,
                          const Shape& shape) {
    const Acc* q = tiles.q + row * kPitch<kWidth>;
    const Acc* grad = tiles.grad_out + row * kPitch<kWidth>;
    for (int j = 0; j < kScoresPerLane; ++j) {
        const int key = j * kLanesPerRow + lane;
        Acc p = 0, ds = 0;
        if (shape.is_visible(query, first_key + key, begin)) {
            p = exponential(dot<kWidth>(q, tiles.k + key * kPitch<kWidth>) * scale - lse);
            const Acc dp = dot<kWidth>(grad, tiles.v + key * kPitch<kWidth>);
            ds = p * (dp - delta) * scale;
        }
        tiles.p[row * kScorePitch + key] = p;
        tiles.ds[row * kScorePitch + key] = ds;
    }
}

/// Statistics of a query row; zero outside, where nothing is visible.
template <class T>
__device__ void load_statistics(const Arrays<T>& a, int64_t batch, int64_t head, int64_t query,
                                const Shape& shape, Accumulator<T>& lse, Accumulator<T>& delta) {
    const int64_t i = (batch * shape.num_heads + head) * shape.query_len + query;
    const bool is_inside = query < shape.query_len;
    lse = is_inside ? a.lse[i] : 0;
    delta = is_inside ? a.delta[i] : 0;
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    grad_q_kernel(Arrays<T> a, Shape shape, Accumulator<T> scale) {
    using Acc = Accumulator<T>;
    const Tiles<Acc, kWidth> tiles;
    const int64_t query_tiles = (shape.query_len + kTile - 1) / kTile;
    const int64_t first_query = blockIdx.x % query_tiles * kTile;
    const int64_t head = blockIdx.x / query_tiles % shape.num_heads;
    const int64_t batch = blockIdx.x / query_tiles / shape.num_heads;
    const int64_t kv_head = head / shape.group_size(), dim = shape.head_dim;
    const auto k = head_of(a.k, a.kv_layout, batch, kv_head, dim);
    const auto v = head_of(a.v, a.kv_layout, batch, kv_head, dim);
    const int row = threadIdx.x / kLanesPerRow, lane = threadIdx.x % kLanesPerRow;
    const int64_t query = first_query + row;
    const int32_t begin = begin_of(a.document_begins, batch, query, shape);
    const int64_t begin_key =
        begin_of(a.document_begins, batch, first_query, shape) / kTile * kTile;
    Acc lse, delta;
    load_statistics(a, batch, head, query, shape, lse, delta);
    load_rows<kWidth>(tiles.q, head_of(a.q, a.q_layout, batch, head, dim), first_query,
                      shape.query_len, shape, Acc{1});
    load_rows<kWidth>(tiles.grad_out, head_of(a.grad_out, a.out_layout, batch, head, dim),
                      first_query, shape.query_len, shape, Acc{1});

    Acc grad[kWidth / kLanesPerRow] = {};
    for (int64_t first_key = begin_key;
         first_key < first_query + kTile && first_key < shape.key_len; first_key += kTile) {
        __syncthreads();  // everyone is done with the tiles before
        load_rows<kWidth>(tiles.k, k, first_key, shape.key_len, shape, Acc{1});
        load_rows<kWidth>(tiles.v, v, first_key, shape.key_len, shape, Acc{1});
        __syncthreads();
        score_row<kWidth>(tiles, row, lane, query, begin, first_key, lse, delta, scale, shape);
        __syncwarp();  // ds of the row is read by its four lanes
        add_weighted_rows<kWidth>(grad, tiles.ds + row * kScorePitch, 1, tiles.k, lane);
    }
    if (query >= shape.query_len) return;
    T* out = head_of(a.grad_q, a.grad_q_layout, batch, head, dim).row(query);
    store_row<kWidth>(out, grad, Acc{1}, lane, shape);
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    grad_kv_kernel(Arrays<T> a, Shape shape, Accumulator<T> scale) {
    using Acc = Accumulator<T>;
    const Tiles<Acc, kWidth> tiles;
    const int64_t key_tiles = (shape.key_len + kTile - 1) / kTile;
    const int64_t first_key = blockIdx.x % key_tiles * kTile;
    const int64_t kv_head = blockIdx.x / key_tiles % shape.num_kv_heads;
    const int64_t batch = blockIdx.x / key_tiles / shape.num_kv_heads, dim = shape.head_dim;
    const int row = threadIdx.x / kLanesPerRow, lane = threadIdx.x % kLanesPerRow;
    load_rows<kWidth>(tiles.k, head_of(a.k, a.kv_layout, batch, kv_head, dim), first_key,
                      shape.key_len, shape, Acc{1});
    load_rows<kWidth>(tiles.v, head_of(a.v, a.kv_layout, batch, kv_head, dim), first_key,
                      shape.key_len, shape, Acc{1});

    Acc grad_k[kWidth / kLanesPerRow] = {}, grad_v[kWidth / kLanesPerRow] = {};
    const int64_t first_head = kv_head * shape.group_size();
    for (int64_t head = first_head; head < first_head + shape.group_size(); ++head) {
        const auto q = head_of(a.q, a.q_layout, batch, head, dim);
        const auto grad_out = head_of(a.grad_out, a.out_layout, batch, head, dim);
        for (int64_t first_query = first_key; first_query < shape.query_len; first_query += kTile) {
            // This query's document begins after the tile, and so do all later ones.
            if (begin_of(a.document_begins, batch, first_query, shape) >= first_key + kTile) break;
            __syncthreads();  // everyone is done with the tiles before
            load_rows<kWidth>(tiles.q, q, first_query, shape.query_len, shape, Acc{1});
            load_rows<kWidth>(tiles.grad_out, grad_out, first_query, shape.query_len, shape,
                              Acc{1});
            __syncthreads();
            Acc lse, delta;
            load_statistics(a, batch, head, first_query + row, shape, lse, delta);
            score_row<kWidth>(tiles, row, lane, first_query + row,
                              begin_of(a.document_begins, batch, first_query + row, shape),
                              first_key, lse, delta, scale, shape);
            __syncthreads();  // from here a thread's row is a key: it reads a column of p and ds
            add_weighted_rows<kWidth>(grad_v, tiles.p + row, kScorePitch, tiles.grad_out, lane);
            add_weighted_rows<kWidth>(grad_k, tiles.ds + row, kScorePitch, tiles.q, lane);
        }
    }
    if (first_key + row >= shape.key_len) return;
    T* out_k = head_of(a.grad_k, a.grad_kv_layout, batch, kv_head, dim).row(first_key + row);
    T* out_v = head_of(a.grad_v, a.grad_kv_layout, batch, kv_head, dim).row(first_key + row);
    store_row<kWidth>(out_k, grad_k, Acc{1}, lane, shape);
    store_row<kWidth>(out_v, grad_v, Acc{1}, lane, shape);
}

template <class T, int kWidth>
void run(Stream& stream, const AttentionBackwardArgs& args) {
    using Acc = Accumulator<T>;
    const AttentionShape& s = args.shape;
    const Arrays<T> arrays{static_cast<const T*>(args.q),
                           static_cast<const T*>(args.k),
                           static_cast<const T*>(args.v),
                           static_cast<const T*>(args.out),
                           static_cast<const T*>(args.grad_out),
                           static_cast<const Acc*>(args.lse),
                           static_cast<Acc*>(args.scratch),
                           static_cast<T*>(args.grad_q),
                           static_cast<T*>(args.grad_k),
                           static_cast<T*>(args.grad_v),
                           args.document_begins,
                           args.q_layout,
                           args.kv_layout,
                           args.out_layout,
                           args.grad_q_layout,
                           args.grad_kv_layout};
    const Shape shape = shape_of(s);
    const size_t shared_bytes = kSharedElements<kWidth> * sizeof(Acc);
    const int64_t rows = s.batch * s.num_heads * s.query_len;
    const int64_t num_tiles = blocks_for(s.query_len, kTile) * s.batch;
    launch(kOp, delta_kernel<T>, {blocks_for(rows * kWarpSize, kDeltaThreads), kDeltaThreads},
           stream, arrays, shape, rows);
    launch(kOp, grad_q_kernel<T, kWidth>, {num_tiles * s.num_heads, kThreads, shared_bytes}, stream,
           arrays, shape, args.scale);
    launch(kOp, grad_kv_kernel<T, kWidth>, {num_tiles * s.num_kv_heads, kThreads, shared_bytes},
           stream, arrays, shape, args.scale);
}

}  // namespace

size_t attention_scratch_bytes(const AttentionShape& s, bool backward) {
    const size_t accumulator_bytes =
        s.dtype == tensor::DType::kF64 ? sizeof(double) : sizeof(float);
    return backward ? s.batch * s.num_heads * s.query_len * accumulator_bytes : 0;
}

void attention_backward(Stream& stream, const AttentionBackwardArgs& args) {
    const AttentionShape& s = args.shape;
    check_shape(kOp, s);
    require(s.first_query == 0 && s.key_len == s.query_len, kOp,
            "needs first_query = 0 and key_len = query_len");
    if (s.batch == 0 || s.query_len == 0) return;
    for (const void* buffer :
         {args.q, args.k, args.v, args.out, args.lse, args.grad_out,
          static_cast<const void*>(args.grad_q), static_cast<const void*>(args.grad_k),
          static_cast<const void*>(args.grad_v)}) {
        require_buffer(buffer, tensor::size_of(s.dtype), kOp, "an operand");
    }
    require_buffer(args.scratch, kVectorBytes, kOp, "scratch");
    require(args.scratch_bytes >= attention_scratch_bytes(s, true), kOp, "scratch is too small");
    with_type_and_width(kOp, s, [&]<class T, int kWidth>() { run<T, kWidth>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
