// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/head.h"

#include <algorithm>

#include "lib/model/attention_args.h"
#include "lib/ops/ops.h"

namespace longhaul::model {
namespace {

using tensor::MemoryClass;

constexpr int64_t kLogitsBytes = int64_t{64} << 20;
constexpr int64_t kStrideUnit = 64;  // elements: rows of logits begin on cache lines
constexpr int32_t kIgnored = -100;

int64_t choose_chunk(int64_t wanted, int64_t max_rows, int64_t row_bytes) {
    if (wanted == 0) wanted = std::max<int64_t>(kLogitsBytes / row_bytes / 64 * 64, 64);
    return std::min(wanted, max_rows);
}

template <class T>
double sum_of(const void* values, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += static_cast<double>(static_cast<const T*>(values)[i]);
    return sum;
}

}  // namespace

Head::Head(const ModelConfig& config, const ModelParams& params, const Context& context,
           int64_t max_rows, int64_t chunk_tokens, bool training, tensor::Alloc& alloc)
    : config_(config),
      norm_(params.final_norm),
      linear_(params.head),
      logits_stride_((config.vocab_size + kStrideUnit - 1) / kStrideUnit * kStrideUnit) {
    const auto size = static_cast<int64_t>(tensor::size_of(context.compute));
    chunk_ = choose_chunk(chunk_tokens, max_rows, logits_stride_ * size);
    const auto get = [&](MemoryClass kind, int64_t count, tensor::DType dtype, const char* what) {
        return alloc.get(kind, count, dtype, what);
    };
    const int64_t elements = max_rows * config.hidden;
    sum_ = get(MemoryClass::kActivation, elements, context.compute, "head sum");
    mean_ = get(MemoryClass::kActivation, max_rows, context.accumulator, "head mean");
    rstd_ = get(MemoryClass::kActivation, max_rows, context.accumulator, "head rstd");
    normed_ = get(MemoryClass::kActivation, elements, context.compute, "head norm");
    if (training) {
        grad_normed_ = get(MemoryClass::kActivation, elements, context.compute, "head norm grad");
    }
    logits_ = get(MemoryClass::kTemporary, chunk_ * logits_stride_, context.compute, "logits");
    losses_ = get(MemoryClass::kTemporary, max_rows, context.accumulator, "losses");
}

double Head::loss(Context& context, int64_t rows, const void* x, const void* residual,
                  const int32_t* targets) {
    normalise(context, rows, x, residual);
    return run(context, rows, targets, 1, false);
}

double Head::loss_and_gradient(Context& context, int64_t rows, const void* x, const void* residual,
                               const int32_t* targets, double grad_scale) {
    normalise(context, rows, x, residual);
    return run(context, rows, targets, grad_scale, true);
}

void Head::normalise(Context& context, int64_t rows, const void* x, const void* residual) {
    norm_forward(context, norm_, rows, config_.hidden,
                 {x, residual, sum_.data, normed_.data, {mean_.data, rstd_.data}});
}

double Head::run(Context& context, int64_t rows, const int32_t* targets, double grad_scale,
                 bool want_grad) {
    for (int64_t first = 0; first < rows; first += chunk_) {
        const int64_t count = std::min(chunk_, rows - first);
        multiply_chunk(context, first, count);
        ops::cross_entropy(context.stream, {context.compute, count, config_.vocab_size,
                                            logits_stride_, logits_.data, targets + first, kIgnored,
                                            element_at(losses_.data, context.accumulator, first),
                                            grad_scale, want_grad});
        if (want_grad) backward_chunk(context, first, count);
    }
    return context.accumulator == tensor::DType::kF64 ? sum_of<double>(losses_.data, rows)
                                                      : sum_of<float>(losses_.data, rows);
}

/// logits (count, vocab) = normed W^T, with the padded row stride.
void Head::multiply_chunk(Context& context, int64_t first, int64_t count) {
    kernels::MatmulArgs args;
    args.dtype = args.out_dtype = context.compute;
    args.order = context.order;
    args.m = count;
    args.n = config_.vocab_size;
    args.k = config_.hidden;
    args.a = element_at(normed_.data, context.compute, first * config_.hidden);
    args.lda = config_.hidden;
    args.b = context.weight(linear_.weight);
    args.transpose_b = true;
    args.ldb = config_.hidden;
    args.c = logits_.data;
    args.ldc = logits_stride_;
    ops::matmul(context.stream, args);
}

void Head::backward_chunk(Context& context, int64_t first, int64_t count) {
    const int64_t hidden = config_.hidden;
    kernels::MatmulArgs args;
    args.dtype = args.out_dtype = context.compute;
    args.order = context.order;
    args.m = count;
    args.n = hidden;
    args.k = config_.vocab_size;
    args.a = logits_.data;
    args.lda = logits_stride_;
    args.b = context.weight(linear_.weight);
    args.ldb = hidden;
    args.c = element_at(grad_normed_.data, context.compute, first * hidden);
    args.ldc = hidden;
    ops::matmul(context.stream, args);
    args.m = config_.vocab_size;
    args.k = count;
    args.transpose_a = true;
    args.b = element_at(normed_.data, context.compute, first * hidden);
    args.c = context.gradient(linear_.weight);
    args.out_dtype = context.accumulator;
    args.accumulate = true;
    ops::matmul(context.stream, args);
}

void Head::backward(Context& context, int64_t rows, void* grad_in) {
    const NormBackward io{grad_normed_.data, nullptr, sum_.data, {mean_.data, rstd_.data}, grad_in};
    norm_backward_input(context, norm_, rows, config_.hidden, io);
    norm_backward_weight(context, norm_, rows, config_.hidden, io);
}

void Head::logits(Context& context, int64_t rows, const void* x, const void* residual,
                  std::span<double> out) {
    normalise(context, rows, x, residual);
    for (int64_t first = 0; first < rows; first += chunk_) {
        const int64_t count = std::min(chunk_, rows - first);
        multiply_chunk(context, first, count);
        ops::cast(context.stream, {context.compute, tensor::DType::kF64, config_.vocab_size,
                                   logits_.data, out.data() + first * config_.vocab_size, count,
                                   logits_stride_, config_.vocab_size});
    }
}

}  // namespace longhaul::model
