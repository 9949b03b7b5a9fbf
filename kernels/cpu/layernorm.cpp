// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm, see kernels/layernorm.h.

#include "kernels/layernorm.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/layernorm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void forward_rows(const LayerNormForwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t columns = args.columns;
    const T* weight = static_cast<const T*>(args.weight);
    const T* bias = static_cast<const T*>(args.bias);
    for (int64_t row = first; row < last; ++row) {
        const T* x = summed_row<T>(args, row);
        const A mean = row_mean<T>(x, columns);
        const A variance = row_square_sum<T>(x, mean, columns) / static_cast<A>(columns);
        const A rstd = A{1} / std::sqrt(variance + static_cast<A>(args.epsilon));
        static_cast<A*>(args.mean)[row] = mean;
        static_cast<A*>(args.rstd)[row] = rstd;
        scale_row<T>(x, weight, bias, row_of<T>(args.out, row, columns), mean, rstd, columns);
    }
}

template <class T>
void backward_rows(const LayerNormBackwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t columns = args.columns;
    const T* weight = static_cast<const T*>(args.weight);
    for (int64_t row = first; row < last; ++row) {
        const T* grad_out = row_of<T>(args.grad_out, row, columns);
        const T* sum = row_of<T>(args.sum, row, columns);
        const A rstd = static_cast<const A*>(args.rstd)[row];
        const A mean = static_cast<const A*>(args.mean)[row];
        const auto means = backward_means<T>(grad_out, sum, weight, mean, rstd, columns);
        backward_row<T>(grad_out, row_of<T>(args.grad_residual, row, columns), sum, weight,
                        row_of<T>(args.grad_sum, row, columns), mean, rstd, means, columns);
    }
}

void layernorm_forward_rows(const LayerNormForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "layernorm", [&](auto tag) {
        forward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void layernorm_backward_rows(const LayerNormBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "layernorm", [&](auto tag) {
        backward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void layernorm_weight_columns(const LayerNormBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "layernorm", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        backward_weight_columns<T>(
            static_cast<const T*>(args.grad_out), static_cast<const T*>(args.sum),
            static_cast<const A*>(args.mean), static_cast<const A*>(args.rstd),
            static_cast<A*>(args.grad_weight), static_cast<A*>(args.grad_bias), args.rows,
            args.columns, first, last);
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(layernorm_forward_rows);
HWY_EXPORT(layernorm_backward_rows);
HWY_EXPORT(layernorm_weight_columns);

void layernorm_forward(Stream&, const LayerNormForwardArgs& args) {
    LH_CHECK(args.residual == nullptr || args.sum != nullptr, "layernorm: residual without sum");
    parallel_for(args.rows, row_chunk(args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(layernorm_forward_rows)(args, first, last);
    });
}

void layernorm_backward(Stream&, const LayerNormBackwardArgs& args) {
    if (args.grad_weight != nullptr) {  // first: grad_sum may overwrite grad_out
        parallel_for(args.columns, kColumnChunk, [&](int64_t first, int64_t last) {
            HWY_DYNAMIC_DISPATCH(layernorm_weight_columns)(args, first, last);
        });
    }
    if (args.grad_sum == nullptr) return;
    parallel_for(args.rows, row_chunk(args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(layernorm_backward_rows)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
