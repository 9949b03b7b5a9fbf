// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/block.h"

#include "lib/model/attention_args.h"
#include "lib/ops/ops.h"

namespace longhaul::model {
namespace {

NormStats stats1(const BlockSaved& saved) {
    return {saved.mean1.data, saved.rstd1.data};
}
NormStats stats2(const BlockSaved& saved) {
    return {saved.mean2.data, saved.rstd2.data};
}

}  // namespace

void Block::forward(Context& context, TokenShape shape, const void* x, const void* residual,
                    const BlockSaved& saved, const BlockScratch& scratch, void* out,
                    const KeyValueCache& cache) const {
    const int64_t rows = shape.rows();
    norm_forward(context, params_.norm1, rows, config_.hidden,
                 {x, residual, saved.sum1.data, saved.norm1.data, stats1(saved)});
    attention_branch(context, shape, saved, scratch, cache);
    norm_forward(
        context, params_.norm2, rows, config_.hidden,
        {saved.sum1.data, scratch.branch.data, saved.sum2.data, saved.norm2.data, stats2(saved)});
    linear_forward(context, params_.up, rows, saved.norm2.data, saved.hidden.data);
    activate(context, shape, saved);
    linear_forward(context, params_.down, rows, saved.activated.data, out);
}

void Block::recompute_all(Context& context, TokenShape shape, const BlockSaved& saved,
                          const BlockScratch& scratch) const {
    const int64_t rows = shape.rows();
    norm_forward(context, params_.norm1, rows, config_.hidden,
                 {saved.sum1.data, nullptr, nullptr, saved.norm1.data, stats1(saved)});
    attention_branch(context, shape, saved, scratch, {});
    norm_forward(
        context, params_.norm2, rows, config_.hidden,
        {saved.sum1.data, scratch.branch.data, saved.sum2.data, saved.norm2.data, stats2(saved)});
    linear_forward(context, params_.up, rows, saved.norm2.data, saved.hidden.data);
    activate(context, shape, saved);
}

void Block::recompute_cheap(Context& context, TokenShape shape, const BlockSaved& saved) const {
    const int64_t rows = shape.rows();
    norm_forward(context, params_.norm1, rows, config_.hidden,
                 {saved.sum1.data, nullptr, nullptr, saved.norm1.data, stats1(saved)});
    norm_forward(context, params_.norm2, rows, config_.hidden,
                 {saved.sum2.data, nullptr, nullptr, saved.norm2.data, stats2(saved)});
    activate(context, shape, saved);
}

void Block::attention_branch(Context& context, TokenShape shape, const BlockSaved& saved,
                             const BlockScratch& scratch, const KeyValueCache& cache) const {
    linear_forward(context, params_.qkv, shape.rows(), saved.norm1.data, saved.qkv.data);
    if (config_.qk_norm) normalise_heads(context, shape, saved);
    rotate(context, shape, saved.qkv.data, false);
    const tensor::DType dtype = context.compute;
    kernels::AttentionForwardArgs args;
    args.shape = attention_shape(config_, dtype, shape.batch, shape.seq_len);
    args.scale = attention_scale(config_);
    args.q = saved.qkv.data;
    args.k = element_at(args.q, dtype, key_column(config_));
    args.v = element_at(args.q, dtype, value_column(config_));
    args.out = saved.attended.data;
    args.q_layout = args.kv_layout = rows_of(config_.qkv_columns(), shape.seq_len);
    args.out_layout = rows_of(config_.attention_columns(), shape.seq_len);
    args.lse = saved.lse.data;
    args.scratch = scratch.attention.data;
    args.scratch_bytes = scratch.attention.size_bytes();
    args.document_begins = shape.document_begins;
    if (cache.count > 0) read_cache(context, shape, cache, args);
    ops::attention_forward(context.stream, args);
    linear_forward(context, params_.proj, shape.rows(), saved.attended.data, scratch.branch.data);
}

/// Appends the new keys and values to the cache and points the attention at it.
void Block::read_cache(Context& context, TokenShape shape, const KeyValueCache& cache,
                       kernels::AttentionForwardArgs& args) const {
    const tensor::DType dtype = context.compute;
    const int64_t half = config_.num_kv_heads * config_.head_dim;
    ops::cast(context.stream, {dtype, dtype, 2 * half, args.k,
                               element_at(cache.data, dtype, shape.first_position * 2 * half),
                               shape.seq_len, config_.qkv_columns(), 2 * half});
    args.shape.first_query = shape.first_position;
    args.shape.key_len = shape.first_position + shape.seq_len;
    args.k = cache.data;
    args.v = element_at(args.k, dtype, half);
    args.kv_layout = {0, 2 * half};
    args.lse = nullptr;
}

/// Normalises q and k in place and keeps them as they were for the backward pass.
void Block::normalise_heads(Context& context, TokenShape shape, const BlockSaved& saved) const {
    const tensor::DType dtype = context.compute;
    kernels::HeadNormForwardArgs args;
    args.dtype = dtype;
    args.rows = shape.rows();
    args.num_heads = config_.num_heads;
    args.head_dim = config_.head_dim;
    args.epsilon = context.norm_eps;
    args.x = args.out = saved.qkv.data;
    args.x_stride = config_.qkv_columns();
    args.weight = context.weight(params_.q_norm);
    args.rstd = saved.q_rstd.data;
    args.kept = saved.qk_raw.data;
    args.kept_stride = value_column(config_);
    ops::head_norm_forward(context.stream, args);
    args.num_heads = config_.num_kv_heads;
    args.x = args.out = element_at(args.out, dtype, key_column(config_));
    args.weight = context.weight(params_.k_norm);
    args.rstd = saved.k_rstd.data;
    args.kept = element_at(args.kept, dtype, key_column(config_));
    ops::head_norm_forward(context.stream, args);
}

/// Queries and keys lie side by side, so one call turns both.
void Block::rotate(Context& context, TokenShape shape, void* qkv, bool inverse) const {
    if (config_.family != Family::kLlama) return;
    kernels::RopeArgs args;
    args.dtype = context.compute;
    args.rows = shape.rows();
    args.num_heads = config_.num_heads + config_.num_kv_heads;
    args.head_dim = config_.head_dim;
    args.row_stride = config_.qkv_columns();
    args.x = qkv;
    args.seq_len = shape.seq_len;
    args.first_position = shape.first_position;
    args.cosines = rope_.cosines.data;
    args.sines = rope_.sines.data;
    args.inverse = inverse;
    args.document_begins = shape.document_begins;
    ops::rope(context.stream, args);
}

void Block::activate(Context& context, TokenShape shape, const BlockSaved& saved) const {
    if (config_.family == Family::kGpt2) {
        ops::gelu_forward(context.stream, {context.compute, shape.rows() * config_.ffn_hidden,
                                           saved.hidden.data, saved.activated.data});
    } else {
        ops::swiglu_forward(context.stream, {context.compute, shape.rows(), config_.ffn_hidden,
                                             saved.hidden.data, saved.activated.data});
    }
}

void Block::backward_input(Context& context, TokenShape shape, const BlockSaved& saved,
                           const BlockGradients& gradients, const BlockScratch& scratch,
                           const void* grad_out, void* grad_in) const {
    const int64_t rows = shape.rows();
    feed_forward_backward(context, shape, saved, gradients, scratch, grad_out);
    norm_backward_input(
        context, params_.norm2, rows, config_.hidden,
        {gradients.norm2.data, grad_out, saved.sum2.data, stats2(saved), gradients.sum2.data});
    attention_backward(context, shape, saved, gradients, scratch);
    norm_backward_input(
        context, params_.norm1, rows, config_.hidden,
        {gradients.norm1.data, gradients.sum2.data, saved.sum1.data, stats1(saved), grad_in});
}

void Block::feed_forward_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                                  const BlockGradients& gradients, const BlockScratch& scratch,
                                  const void* grad_out) const {
    const int64_t rows = shape.rows();
    if (config_.family == Family::kGpt2) {
        void* grad = gradients.hidden.data;
        linear_backward_input(context, params_.down, rows, grad_out, grad);
        ops::gelu_backward(context.stream, {context.compute, rows * config_.ffn_hidden,
                                            saved.hidden.data, grad, grad});
    } else {
        linear_backward_input(context, params_.down, rows, grad_out, scratch.activated.data);
        ops::swiglu_backward(context.stream,
                             {context.compute, rows, config_.ffn_hidden, saved.hidden.data,
                              scratch.activated.data, gradients.hidden.data});
    }
    linear_backward_input(context, params_.up, rows, gradients.hidden.data, gradients.norm2.data);
}

void Block::attention_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                               const BlockGradients& gradients, const BlockScratch& scratch) const {
    const tensor::DType dtype = context.compute;
    linear_backward_input(context, params_.proj, shape.rows(), gradients.sum2.data,
                          scratch.branch.data);
    kernels::AttentionBackwardArgs args;
    args.shape = attention_shape(config_, dtype, shape.batch, shape.seq_len);
    args.scale = attention_scale(config_);
    args.q = saved.qkv.data;
    args.k = element_at(args.q, dtype, key_column(config_));
    args.v = element_at(args.q, dtype, value_column(config_));
    args.out = saved.attended.data;
    args.lse = saved.lse.data;
    args.grad_out = scratch.branch.data;
    args.grad_q = gradients.qkv.data;
    args.grad_k = element_at(args.grad_q, dtype, key_column(config_));
    args.grad_v = element_at(args.grad_q, dtype, value_column(config_));
    args.q_layout = args.kv_layout = args.grad_q_layout = args.grad_kv_layout =
        rows_of(config_.qkv_columns(), shape.seq_len);
    args.out_layout = rows_of(config_.attention_columns(), shape.seq_len);
    args.scratch = scratch.attention.data;
    args.scratch_bytes = scratch.attention.size_bytes();
    args.document_begins = shape.document_begins;
    ops::attention_backward(context.stream, args);
    rotate(context, shape, gradients.qkv.data, true);
    if (config_.qk_norm) head_norm_backward(context, shape, saved, gradients);
    linear_backward_input(context, params_.qkv, shape.rows(), gradients.qkv.data,
                          gradients.norm1.data);
}

void Block::head_norm_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                               const BlockGradients& gradients) const {
    const tensor::DType dtype = context.compute;
    void* grad = gradients.qkv.data;
    kernels::HeadNormBackwardArgs args{dtype,
                                       shape.rows(),
                                       config_.num_heads,
                                       config_.head_dim,
                                       grad,
                                       saved.qk_raw.data,
                                       config_.qkv_columns(),
                                       value_column(config_),
                                       context.weight(params_.q_norm),
                                       saved.q_rstd.data,
                                       grad,
                                       context.gradient(params_.q_norm)};
    ops::head_norm_backward(context.stream, args);
    args.num_heads = config_.num_kv_heads;
    args.grad_out = args.grad_x = element_at(grad, dtype, key_column(config_));
    args.x = element_at(args.x, dtype, key_column(config_));
    args.weight = context.weight(params_.k_norm);
    args.rstd = saved.k_rstd.data;
    args.grad_weight = context.gradient(params_.k_norm);
    ops::head_norm_backward(context.stream, args);
}

void Block::backward_weight(Context& context, TokenShape shape, const BlockSaved& saved,
                            const BlockGradients& gradients, const void* grad_out) const {
    const int64_t rows = shape.rows();
    linear_backward_weight(context, params_.down, rows, saved.activated.data, grad_out);
    linear_backward_weight(context, params_.up, rows, saved.norm2.data, gradients.hidden.data);
    norm_backward_weight(context, params_.norm2, rows, config_.hidden,
                         {gradients.norm2.data, nullptr, saved.sum2.data, stats2(saved), nullptr});
    linear_backward_weight(context, params_.proj, rows, saved.attended.data, gradients.sum2.data);
    linear_backward_weight(context, params_.qkv, rows, saved.norm1.data, gradients.qkv.data);
    norm_backward_weight(context, params_.norm1, rows, config_.hidden,
                         {gradients.norm1.data, nullptr, saved.sum1.data, stats1(saved), nullptr});
}

}  // namespace longhaul::model
