// SPDX-License-Identifier: BSD-3-Clause
// Embedding look-up and its gradient, see kernels/embedding.h.

#include "kernels/embedding.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/embedding.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

void embedding_rows(const EmbeddingForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "embedding", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        const Tag<Accumulator<T>> d;
        for (int64_t row = first; row < last; ++row) {
            const T* from = static_cast<const T*>(args.table) + args.tokens[row] * args.columns;
            T* out = static_cast<T*>(args.out) + row * args.columns;
            if (args.positions == nullptr) {
                for (int64_t i = 0; i < args.columns; ++i) out[i] = from[i];
                continue;
            }
            const int64_t begin = args.document_begins == nullptr ? 0 : args.document_begins[row];
            const int64_t position = args.first_position + row % args.seq_len - begin;
            const T* place = static_cast<const T*>(args.positions) + position * args.columns;
            for_lanes(d, args.columns, [&](auto lanes, int64_t i) {
                lanes.put(d, hn::Add(lanes.get(d, from + i), lanes.get(d, place + i)), out + i);
            });
        }
    });
}

/// Columns [first, last) of row `index` of a table gradient += one row of grad_out.
template <class T, class A>
void add_columns(const T* grad, A* table, int64_t index, int64_t columns, int64_t first,
                 int64_t last) {
    const Tag<A> d;
    A* to = table + index * columns + first;
    for_lanes(d, last - first, [&](auto lanes, int64_t i) {
        lanes.put(d, hn::Add(lanes.get(d, to + i), lanes.get(d, grad + first + i)), to + i);
    });
}

void embedding_backward_columns(const EmbeddingBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "embedding", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        for (int64_t row = 0; row < args.rows; ++row) {
            const T* grad = static_cast<const T*>(args.grad_out) + row * args.columns;
            if (args.grad_table != nullptr) {
                add_columns<T, A>(grad, static_cast<A*>(args.grad_table), args.tokens[row],
                                  args.columns, first, last);
            }
            if (args.grad_positions != nullptr) {
                const int64_t begin =
                    args.document_begins == nullptr ? 0 : args.document_begins[row];
                add_columns<T, A>(grad, static_cast<A*>(args.grad_positions),
                                  row % args.seq_len - begin, args.columns, first, last);
            }
        }
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(embedding_rows);
HWY_EXPORT(embedding_backward_columns);

void embedding_forward(Stream&, const EmbeddingForwardArgs& args) {
    parallel_for(args.rows, row_chunk(args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(embedding_rows)(args, first, last);
    });
}

void embedding_backward(Stream&, const EmbeddingBackwardArgs& args) {
    parallel_for(args.columns, kColumnChunk, [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(embedding_backward_columns)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
