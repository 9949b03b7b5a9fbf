// SPDX-License-Identifier: BSD-3-Clause
// RMSNorm over heads, see kernels/head_norm.h.

#include "kernels/head_norm.h"

#include <algorithm>

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/head_norm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void forward_rows(const HeadNormForwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t dim = args.head_dim;
    for (int64_t row = first; row < last; ++row) {
        for (int64_t head = 0; head < args.num_heads; ++head) {
            const T* x = static_cast<const T*>(args.x) + row * args.x_stride + head * dim;
            T* out = static_cast<T*>(args.out) + row * args.x_stride + head * dim;
            if (args.kept != nullptr) {
                T* kept = static_cast<T*>(args.kept) + row * args.kept_stride + head * dim;
                std::copy(x, x + dim, kept);
                x = kept;
            }
            const A mean_square = row_square_sum<T>(x, A{0}, dim) / static_cast<A>(dim);
            const A rstd = A{1} / std::sqrt(mean_square + static_cast<A>(args.epsilon));
            static_cast<A*>(args.rstd)[row * args.num_heads + head] = rstd;
            scale_row<T>(x, static_cast<const T*>(args.weight), nullptr, out, A{0}, rstd, dim);
        }
    }
}

template <class T>
void backward_rows(const HeadNormBackwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t dim = args.head_dim;
    const T* weight = static_cast<const T*>(args.weight);
    for (int64_t row = first; row < last; ++row) {
        for (int64_t head = 0; head < args.num_heads; ++head) {
            const T* x = static_cast<const T*>(args.x) + row * args.x_stride + head * dim;
            const int64_t at = row * args.grad_stride + head * dim;
            const T* grad_out = static_cast<const T*>(args.grad_out) + at;
            const A rstd = static_cast<const A*>(args.rstd)[row * args.num_heads + head];
            auto means = backward_means<T>(grad_out, x, weight, A{0}, rstd, dim);
            means.g = 0;
            backward_row<T>(grad_out, nullptr, x, weight, static_cast<T*>(args.grad_x) + at, A{0},
                            rstd, means, dim);
        }
    }
}

/// The weight's gradient: few numbers, so one thread adds all rows and heads in order.
template <class T>
void add_weight_gradient(const HeadNormBackwardArgs& args) {
    using A = Accumulator<T>;
    const int64_t dim = args.head_dim;
    for (int64_t row = 0; row < args.rows; ++row) {
        backward_weight_columns<T>(static_cast<const T*>(args.grad_out) + row * args.grad_stride,
                                   static_cast<const T*>(args.x) + row * args.x_stride, nullptr,
                                   static_cast<const A*>(args.rstd) + row * args.num_heads,
                                   static_cast<A*>(args.grad_weight), nullptr, args.num_heads, dim,
                                   0, dim);
    }
}

void head_norm_forward_rows(const HeadNormForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "head_norm", [&](auto tag) {
        forward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void head_norm_backward_rows(const HeadNormBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "head_norm", [&](auto tag) {
        backward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void head_norm_weight(const HeadNormBackwardArgs& args) {
    cpu::with_type(args.dtype, "head_norm",
                   [&](auto tag) { add_weight_gradient<typename decltype(tag)::Type>(args); });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(head_norm_forward_rows);
HWY_EXPORT(head_norm_backward_rows);
HWY_EXPORT(head_norm_weight);

void head_norm_forward(Stream&, const HeadNormForwardArgs& args) {
    parallel_for(args.rows, row_chunk(args.num_heads * args.head_dim),
                 [&](int64_t first, int64_t last) {
                     HWY_DYNAMIC_DISPATCH(head_norm_forward_rows)(args, first, last);
                 });
}

void head_norm_backward(Stream&, const HeadNormBackwardArgs& args) {
    HWY_DYNAMIC_DISPATCH(head_norm_weight)(args);  // first: grad_x may overwrite grad_out
    parallel_for(args.rows, row_chunk(args.num_heads * args.head_dim),
                 [&](int64_t first, int64_t last) {
                     HWY_DYNAMIC_DISPATCH(head_norm_backward_rows)(args, first, last);
                 });
}

}  // namespace longhaul::kernels::cpu
#endif
