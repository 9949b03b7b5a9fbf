// SPDX-License-Identifier: BSD-3-Clause
// Rows of LayerNorm and RMSNorm: one body, of which RMSNorm is the case without centring.

#if defined(LH_KERNELS_CPU_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LH_KERNELS_CPU_NORM_INL_H_
#undef LH_KERNELS_CPU_NORM_INL_H_
#else
#define LH_KERNELS_CPU_NORM_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {

/// Row of a packed matrix; null for a null matrix.
template <class T>
const T* row_of(const void* matrix, int64_t row, int64_t columns) {
    return matrix == nullptr ? nullptr : static_cast<const T*>(matrix) + row * columns;
}
template <class T>
T* row_of(void* matrix, int64_t row, int64_t columns) {
    return matrix == nullptr ? nullptr : static_cast<T*>(matrix) + row * columns;
}

/// sum = x + residual, rounded to T.
template <class T>
void add_row(const T* x, const T* residual, T* sum, int64_t columns) {
    const Tag<Accumulator<T>> d;
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        lanes.put(d, hn::Add(lanes.get(d, x + i), lanes.get(d, residual + i)), sum + i);
    });
}

/// The row that is normalised: x + residual or x itself, written to args.sum where that is wanted.
/// @param args LayerNormForwardArgs or RmsNormForwardArgs.
template <class T, class Args>
const T* summed_row(const Args& args, int64_t row) {
    const int64_t columns = args.columns;
    const T* x = row_of<T>(args.x, row, columns);
    T* sum = row_of<T>(args.sum, row, columns);
    if (args.residual != nullptr) {
        add_row<T>(x, row_of<T>(args.residual, row, columns), sum, columns);
        return sum;
    }
    if (sum != nullptr && sum != x) {
        for (int64_t i = 0; i < columns; ++i) sum[i] = x[i];
    }
    return x;
}

template <class T>
Accumulator<T> row_mean(const T* x, int64_t columns) {
    const Tag<Accumulator<T>> d;
    auto total = hn::Zero(d);
    for_lanes(d, columns,
              [&](auto lanes, int64_t i) { total = hn::Add(total, lanes.get(d, x + i)); });
    return sum_lanes(d, total) / static_cast<Accumulator<T>>(columns);
}

/// Sum of (x - mean)^2. Lanes beyond the end count as x = mean.
template <class T>
Accumulator<T> row_square_sum(const T* x, Accumulator<T> mean, int64_t columns) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const auto centre = hn::Set(d, mean);
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    auto total = hn::Zero(d);
    int64_t i = 0;
    for (; i + width <= columns; i += width) {
        const auto v = hn::Sub(load(d, x + i), centre);
        total = hn::MulAdd(v, v, total);
    }
    if (i < columns) {
        const auto count = static_cast<size_t>(columns - i);
        const auto v =
            hn::IfThenElseZero(hn::FirstN(d, count), hn::Sub(load_part(d, x + i, count), centre));
        total = hn::MulAdd(v, v, total);
    }
    return sum_lanes(d, total);
}

/// out = (x - mean) rstd weight [+ bias].
template <class T>
void scale_row(const T* x, const T* weight, const T* bias, T* out, Accumulator<T> mean,
               Accumulator<T> rstd, int64_t columns) {
    const Tag<Accumulator<T>> d;
    const auto centre = hn::Set(d, mean);
    const auto factor = hn::Set(d, rstd);
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        const auto n = hn::Mul(hn::Sub(lanes.get(d, x + i), centre), factor);
        const auto w = lanes.get(d, weight + i);
        const auto scaled =
            bias == nullptr ? hn::Mul(n, w) : hn::MulAdd(n, w, lanes.get(d, bias + i));
        lanes.put(d, scaled, out + i);
    });
}

/// The two means of the backward pass, over a row: of g and of g n.
template <class A>
struct RowMeans {
    A g = 0, gn = 0;
};

template <class T>
RowMeans<Accumulator<T>> backward_means(const T* grad_out, const T* sum, const T* weight,
                                        Accumulator<T> mean, Accumulator<T> rstd, int64_t columns) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const auto centre = hn::Set(d, mean);
    const auto factor = hn::Set(d, rstd);
    auto total_g = hn::Zero(d);
    auto total_gn = hn::Zero(d);
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        const auto g = hn::Mul(lanes.get(d, grad_out + i), lanes.get(d, weight + i));
        const auto n = hn::Mul(hn::Sub(lanes.get(d, sum + i), centre), factor);
        total_g = hn::Add(total_g, g);  // lanes beyond the end have g = 0
        total_gn = hn::MulAdd(g, n, total_gn);
    });
    const auto count = static_cast<A>(columns);
    return {sum_lanes(d, total_g) / count, sum_lanes(d, total_gn) / count};
}

/// grad_sum = [grad_residual +] rstd (g - means.g - n means.gn).
template <class T>
void backward_row(const T* grad_out, const T* grad_residual, const T* sum, const T* weight,
                  T* grad_sum, Accumulator<T> mean, Accumulator<T> rstd,
                  RowMeans<Accumulator<T>> means, int64_t columns) {
    const Tag<Accumulator<T>> d;
    const auto centre = hn::Set(d, mean);
    const auto factor = hn::Set(d, rstd);
    const auto mean_g = hn::Set(d, means.g);
    const auto mean_gn = hn::Set(d, means.gn);
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        const auto g = hn::Mul(lanes.get(d, grad_out + i), lanes.get(d, weight + i));
        const auto n = hn::Mul(hn::Sub(lanes.get(d, sum + i), centre), factor);
        const auto inner = hn::NegMulAdd(n, mean_gn, hn::Sub(g, mean_g));
        const auto grad = grad_residual == nullptr
                              ? hn::Mul(factor, inner)
                              : hn::MulAdd(factor, inner, lanes.get(d, grad_residual + i));
        lanes.put(d, grad, grad_sum + i);
    });
}

/// Columns [first, last) of the weight (and bias) gradients, adding rows in order. mean may be
/// null.
template <class T>
void backward_weight_columns(const T* grad_out, const T* sum, const Accumulator<T>* mean,
                             const Accumulator<T>* rstd, Accumulator<T>* grad_weight,
                             Accumulator<T>* grad_bias, int64_t rows, int64_t columns,
                             int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const Tag<A> d;
    for (int64_t row = 0; row < rows; ++row) {
        const auto centre = hn::Set(d, mean == nullptr ? A{0} : mean[row]);
        const auto factor = hn::Set(d, rstd[row]);
        const T* dy = grad_out + row * columns + first;
        const T* x = sum + row * columns + first;
        for_lanes(d, last - first, [&](auto lanes, int64_t i) {
            const auto g = lanes.get(d, dy + i);
            const auto n = hn::Mul(hn::Sub(lanes.get(d, x + i), centre), factor);
            A* dw = grad_weight + first + i;
            lanes.put(d, hn::MulAdd(g, n, lanes.get(d, dw)), dw);
            if (grad_bias != nullptr) {
                A* db = grad_bias + first + i;
                lanes.put(d, hn::Add(lanes.get(d, db), g), db);
            }
        });
    }
}

}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
