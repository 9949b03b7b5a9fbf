// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/layers.h"

#include "lib/ops/ops.h"

namespace longhaul::model {
namespace {

kernels::MatmulArgs matmul_args(const Context& context, int64_t m, int64_t n, int64_t k) {
    kernels::MatmulArgs args;
    args.dtype = context.compute;
    args.out_dtype = context.compute;
    args.order = context.order;
    args.m = m;
    args.n = n;
    args.k = k;
    args.ldc = n;
    return args;
}

}  // namespace

void linear_forward(Context& context, const LinearParams& layer, int64_t rows, const void* x,
                    void* y) {
    kernels::MatmulArgs args = matmul_args(context, rows, layer.out, layer.in);
    args.a = x;
    args.lda = layer.in;
    args.b = context.weight(layer.weight);
    args.transpose_b = !layer.stored_in_out;
    args.ldb = layer.stored_in_out ? layer.out : layer.in;
    args.c = y;
    args.bias = context.weight(layer.bias);
    ops::matmul(context.stream, args);
}

void linear_backward_input(Context& context, const LinearParams& layer, int64_t rows,
                           const void* grad_y, void* grad_x) {
    kernels::MatmulArgs args = matmul_args(context, rows, layer.in, layer.out);
    args.a = grad_y;
    args.lda = layer.out;
    args.b = context.weight(layer.weight);
    args.transpose_b = layer.stored_in_out;
    args.ldb = layer.stored_in_out ? layer.out : layer.in;
    args.c = grad_x;
    ops::matmul(context.stream, args);
}

void linear_backward_weight(Context& context, const LinearParams& layer, int64_t rows,
                            const void* x, const void* grad_y) {
    const int64_t m = layer.stored_in_out ? layer.in : layer.out;
    const int64_t n = layer.stored_in_out ? layer.out : layer.in;
    kernels::MatmulArgs args = matmul_args(context, m, n, rows);
    args.out_dtype = context.accumulator;
    args.accumulate = true;
    args.transpose_a = true;
    args.a = layer.stored_in_out ? x : grad_y;
    args.lda = m;
    args.b = layer.stored_in_out ? grad_y : x;
    args.ldb = n;
    args.c = context.gradient(layer.weight);
    ops::matmul(context.stream, args);
    if (layer.bias == kNoParam) return;
    ops::sum_rows(context.stream, {context.compute, rows, layer.out, layer.out, grad_y,
                                   context.gradient(layer.bias)});
}

void norm_forward(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                  const NormForward& io) {
    if (layer.bias != kNoParam) {
        ops::layernorm_forward(context.stream,
                               {context.compute, rows, columns, context.norm_eps, io.x, io.residual,
                                context.weight(layer.weight), context.weight(layer.bias), io.sum,
                                io.out, io.stats.mean, io.stats.rstd});
    } else {
        ops::rmsnorm_forward(context.stream,
                             {context.compute, rows, columns, context.norm_eps, io.x, io.residual,
                              context.weight(layer.weight), io.sum, io.out, io.stats.rstd});
    }
}

void norm_backward_input(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                         const NormBackward& io) {
    const void* weight = context.weight(layer.weight);
    if (layer.bias != kNoParam) {
        ops::layernorm_backward(
            context.stream, {context.compute, rows, columns, io.grad_out, io.grad_residual, io.sum,
                             weight, io.stats.mean, io.stats.rstd, io.grad_sum, nullptr, nullptr});
    } else {
        ops::rmsnorm_backward(
            context.stream, {context.compute, rows, columns, io.grad_out, io.grad_residual, io.sum,
                             weight, io.stats.rstd, io.grad_sum, nullptr, nullptr, 0});
    }
}

void norm_backward_weight(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                          const NormBackward& io) {
    const void* weight = context.weight(layer.weight);
    void* grad_weight = context.gradient(layer.weight);
    if (layer.bias != kNoParam) {
        ops::layernorm_backward(
            context.stream,
            {context.compute, rows, columns, io.grad_out, nullptr, io.sum, weight, io.stats.mean,
             io.stats.rstd, nullptr, grad_weight, context.gradient(layer.bias)});
    } else {
        ops::rmsnorm_backward(context.stream,
                              {context.compute, rows, columns, io.grad_out, nullptr, io.sum, weight,
                               io.stats.rstd, nullptr, grad_weight, nullptr, 0});
    }
}

}  // namespace longhaul::model
