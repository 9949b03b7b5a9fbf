// SPDX-License-Identifier: BSD-3-Clause
// Causal attention, forward; the contract is kernels/attention.h. One block computes 32 queries of
// one head and walks over the keys in tiles, keeping maximum, sum and output of every row up to
// date (FlashAttention, algorithm 1).
#include <limits>

#include "kernels/cuda/attention.cuh"

namespace longhaul::kernels::cuda {

using namespace attention;  // NOLINT: the parts of this kernel

namespace {

constexpr const char* kOp = "attention_forward";

template <class T>
struct Arrays {
    const T* q;
    const T* k;
    const T* v;
    T* out;
    Accumulator<T>* lse;             // (B, H, T), or null
    const int32_t* document_begins;  // (B, T), or null
    HeadLayout q_layout, kv_layout, out_layout;
};

/// A row's softmax so far, and its output before division by `total`.
template <class Acc, int kWidth>
struct RowState {
    Acc maximum = std::numeric_limits<Acc>::lowest();
    Acc total = 0;
    Acc out[kWidth / kLanesPerRow] = {};
};

/// Dynamic shared memory: Acc q[32][pitch], k[32][pitch], v[32][pitch], p[32][33].
template <int kWidth>
constexpr size_t kSharedElements = 3 * kTile* kPitch<kWidth> + kTile* kScorePitch;

/// Takes one tile of keys and values into the state of the lane's row.
template <int kWidth, class Acc>
__device__ void add_tile(RowState<Acc, kWidth>& state, const Acc* q_row, const Acc* k_tile,
                         const Acc* v_tile, Acc* p_row, int lane, int64_t query, int32_t begin,
                         int64_t first_key, const Shape& shape) {
    constexpr Acc kLowest = std::numeric_limits<Acc>::lowest();
    Acc scores[kScoresPerLane];
    Acc maximum = state.maximum;
    for (int j = 0; j < kScoresPerLane; ++j) {
        const int key = j * kLanesPerRow + lane;
        const bool is_visible = shape.is_visible(query, first_key + key, begin);
        scores[j] = is_visible ? dot<kWidth>(q_row, k_tile + key * kPitch<kWidth>) : kLowest;
        maximum = scores[j] > maximum ? scores[j] : maximum;
    }
    maximum = row_reduce(maximum, Max{});
    const Acc correction = exponential(state.maximum - maximum);
    Acc total = 0;
    for (int j = 0; j < kScoresPerLane; ++j) {
        const Acc p = scores[j] == kLowest ? Acc{0} : exponential(scores[j] - maximum);
        p_row[j * kLanesPerRow + lane] = p;
        total += p;
    }
    state.total = state.total * correction + row_reduce(total, Sum{});
    state.maximum = maximum;
    __syncwarp();  // p_row is read by the row's four lanes
#pragma unroll
    for (int i = 0; i < kWidth / kLanesPerRow; ++i) state.out[i] *= correction;
    add_weighted_rows<kWidth>(state.out, p_row, 1, v_tile, lane);
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(Arrays<T> a, Shape shape, Accumulator<T> scale) {
    using Acc = Accumulator<T>;
    constexpr int kTileSize = kTile * kPitch<kWidth>;
    Acc* q_tile = dynamic_shared<Acc>();
    Acc* k_tile = q_tile + kTileSize;
    Acc* v_tile = k_tile + kTileSize;
    Acc* p_tile = v_tile + kTileSize;

    const int64_t query_tiles = (shape.query_len + kTile - 1) / kTile;
    const int64_t first_query = blockIdx.x % query_tiles * kTile;
    const int64_t head = blockIdx.x / query_tiles % shape.num_heads;
    const int64_t batch = blockIdx.x / query_tiles / shape.num_heads;
    const int64_t kv_head = head / shape.group_size();
    const auto q = head_of(a.q, a.q_layout, batch, head, shape.head_dim);
    const auto k = head_of(a.k, a.kv_layout, batch, kv_head, shape.head_dim);
    const auto v = head_of(a.v, a.kv_layout, batch, kv_head, shape.head_dim);
    const int row = threadIdx.x / kLanesPerRow, lane = threadIdx.x % kLanesPerRow;
    const int64_t query = first_query + row;
    const int64_t end_key = shape.first_query + first_query + kTile;  // one past the last visible
    const int32_t begin = begin_of(a.document_begins, batch, query, shape);
    // Begins do not decrease: no query of the tile sees a key before that of its first one.
    const int64_t begin_key =
        begin_of(a.document_begins, batch, first_query, shape) / kTile * kTile;

    load_rows<kWidth>(q_tile, q, first_query, shape.query_len, shape, scale);
    RowState<Acc, kWidth> state;
    for (int64_t first_key = begin_key; first_key < end_key && first_key < shape.key_len;
         first_key += kTile) {
        __syncthreads();  // everyone is done with the tiles before
        load_rows<kWidth>(k_tile, k, first_key, shape.key_len, shape, Acc{1});
        load_rows<kWidth>(v_tile, v, first_key, shape.key_len, shape, Acc{1});
        __syncthreads();
        add_tile<kWidth>(state, q_tile + row * kPitch<kWidth>, k_tile, v_tile,
                         p_tile + row * kScorePitch, lane, query, begin, first_key, shape);
        __syncwarp();  // p_row is overwritten by the next tile
    }
    if (query >= shape.query_len) return;
    T* out = head_of(a.out, a.out_layout, batch, head, shape.head_dim).row(query);
    store_row<kWidth>(out, state.out, Acc{1} / state.total, lane, shape);
    if (a.lse != nullptr && lane == 0) {
        a.lse[(batch * shape.num_heads + head) * shape.query_len + query] =
            state.maximum + logarithm(state.total);
    }
}

}  // namespace

void attention_forward(Stream& stream, const AttentionForwardArgs& args) {
    const AttentionShape& s = args.shape;
    check_shape(kOp, s);
    require(args.document_begins == nullptr || s.first_query == 0, kOp,
            "documents need first_query = 0");
    if (s.batch == 0 || s.query_len == 0) return;
    for (const void* buffer : {args.q, args.k, args.v, static_cast<const void*>(args.out)}) {
        require_buffer(buffer, tensor::size_of(s.dtype), kOp, "q, k, v or out");
    }
    with_type_and_width(kOp, s, [&]<class T, int kWidth>() {
        using Acc = Accumulator<T>;
        const Arrays<T> arrays{static_cast<const T*>(args.q),
                               static_cast<const T*>(args.k),
                               static_cast<const T*>(args.v),
                               static_cast<T*>(args.out),
                               static_cast<Acc*>(args.lse),
                               args.document_begins,
                               args.q_layout,
                               args.kv_layout,
                               args.out_layout};
        launch(kOp, forward_kernel<T, kWidth>,
               {blocks_for(s.query_len, kTile) * s.num_heads * s.batch, kThreads,
                kSharedElements<kWidth> * sizeof(Acc)},
               stream, arrays, shape_of(s), args.scale);
    });
}

}  // namespace longhaul::kernels::cuda
