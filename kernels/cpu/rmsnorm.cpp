// SPDX-License-Identifier: BSD-3-Clause
// RMSNorm, see kernels/rmsnorm.h. The CPU needs no scratch: weight gradients are summed by columns.

#include "kernels/rmsnorm.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rmsnorm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void forward_rows(const RmsNormForwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t columns = args.columns;
    const T* weight = static_cast<const T*>(args.weight);
    for (int64_t row = first; row < last; ++row) {
        const T* x = summed_row<T>(args, row);
        const A mean_square = row_square_sum<T>(x, A{0}, columns) / static_cast<A>(columns);
        const A rstd = A{1} / std::sqrt(mean_square + static_cast<A>(args.epsilon));
        static_cast<A*>(args.rstd)[row] = rstd;
        scale_row<T>(x, weight, nullptr, row_of<T>(args.out, row, columns), A{0}, rstd, columns);
    }
}

template <class T>
void backward_rows(const RmsNormBackwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const int64_t columns = args.columns;
    const T* weight = static_cast<const T*>(args.weight);
    for (int64_t row = first; row < last; ++row) {
        const T* grad_out = row_of<T>(args.grad_out, row, columns);
        const T* sum = row_of<T>(args.sum, row, columns);
        const A rstd = static_cast<const A*>(args.rstd)[row];
        auto means = backward_means<T>(grad_out, sum, weight, A{0}, rstd, columns);
        means.g = 0;
        backward_row<T>(grad_out, row_of<T>(args.grad_residual, row, columns), sum, weight,
                        row_of<T>(args.grad_sum, row, columns), A{0}, rstd, means, columns);
    }
}

void rmsnorm_forward_rows(const RmsNormForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "rmsnorm", [&](auto tag) {
        forward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void rmsnorm_backward_rows(const RmsNormBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "rmsnorm", [&](auto tag) {
        backward_rows<typename decltype(tag)::Type>(args, first, last);
    });
}

void rmsnorm_weight_columns(const RmsNormBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "rmsnorm", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        backward_weight_columns<T>(
            static_cast<const T*>(args.grad_out), static_cast<const T*>(args.sum), nullptr,
            static_cast<const A*>(args.rstd), static_cast<A*>(args.grad_weight), nullptr, args.rows,
            args.columns, first, last);
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(rmsnorm_forward_rows);
HWY_EXPORT(rmsnorm_backward_rows);
HWY_EXPORT(rmsnorm_weight_columns);

void rmsnorm_forward(Stream&, const RmsNormForwardArgs& args) {
    LH_CHECK(args.residual == nullptr || args.sum != nullptr, "rmsnorm: residual without sum");
    parallel_for(args.rows, row_chunk(args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(rmsnorm_forward_rows)(args, first, last);
    });
}

void rmsnorm_backward(Stream&, const RmsNormBackwardArgs& args) {
    if (args.grad_weight != nullptr) {  // first: grad_sum may overwrite grad_out
        parallel_for(args.columns, kColumnChunk, [&](int64_t first, int64_t last) {
            HWY_DYNAMIC_DISPATCH(rmsnorm_weight_columns)(args, first, last);
        });
    }
    if (args.grad_sum == nullptr) return;
    parallel_for(args.rows, row_chunk(args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(rmsnorm_backward_rows)(args, first, last);
    });
}

size_t rmsnorm_backward_scratch_bytes(tensor::DType, int64_t, int64_t) {
    return 0;
}

}  // namespace longhaul::kernels::cpu
#endif
