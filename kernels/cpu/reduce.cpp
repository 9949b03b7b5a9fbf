// SPDX-License-Identifier: BSD-3-Clause
// Sums in a fixed order, see kernels/reduce.h.

#include "kernels/reduce.h"

#include <algorithm>

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduce.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

inline double widen(double value) {
    return value;
}
inline double widen(float value) {
    return static_cast<double>(value);
}
inline double widen(tensor::BFloat16 value) {
    return static_cast<double>(tensor::to_float(value));
}

/// Eight running sums, so that the order is the same whatever the width of the vectors.
template <class T>
double block_sum_squares(const T* x, int64_t count) {
    constexpr int64_t kWays = 8;
    double sums[kWays] = {};
    int64_t i = 0;
    for (; i + kWays <= count; i += kWays) {
        for (int64_t j = 0; j < kWays; ++j) {
            const double value = widen(x[i + j]);
            sums[j] += value * value;
        }
    }
    for (int64_t j = 0; i + j < count; ++j) sums[j] += widen(x[i + j]) * widen(x[i + j]);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

double sum_squares_block(const SumSquaresArgs& args, int64_t first, int64_t last) {
    double result = 0;
    cpu::with_type(args.dtype, "sum_squares", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        result = block_sum_squares<T>(static_cast<const T*>(args.x) + first, last - first);
    });
    return result;
}

/// Columns [first, last): every column adds its rows in order.
template <class T>
void sum_columns(const SumRowsArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const Tag<A> d;
    A* out = static_cast<A*>(args.out);
    for (int64_t row = 0; row < args.rows; ++row) {
        const T* x = static_cast<const T*>(args.x) + row * args.row_stride;
        for_lanes(d, last - first, [&](auto lanes, int64_t i) {
            const int64_t column = first + i;
            lanes.put(d, hn::Add(lanes.get(d, out + column), lanes.get(d, x + column)),
                      out + column);
        });
    }
}

void sum_rows_columns(const SumRowsArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "sum_rows",
                   [&](auto tag) { sum_columns<typename decltype(tag)::Type>(args, first, last); });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(sum_squares_block);
HWY_EXPORT(sum_rows_columns);

void sum_squares(Stream&, const SumSquaresArgs& args) {
    // Rounds of blocks in parallel, then added in order: no memory that grows with count.
    constexpr int64_t kRound = 256;
    double partial[kRound];
    const int64_t num_blocks = (args.count + kSumBlock - 1) / kSumBlock;
    double total = 0;
    for (int64_t base = 0; base < num_blocks; base += kRound) {
        const int64_t in_round = std::min(kRound, num_blocks - base);
        parallel_for(in_round, 16, [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
                const int64_t begin = (base + i) * kSumBlock;
                partial[i] = HWY_DYNAMIC_DISPATCH(sum_squares_block)(
                    args, begin, std::min(args.count, begin + kSumBlock));
            }
        });
        for (int64_t i = 0; i < in_round; ++i) total += partial[i];
    }
    *args.out = total;
}

void sum_rows(Stream&, const SumRowsArgs& args) {
    parallel_for(args.columns, kColumnChunk, [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(sum_rows_columns)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
