// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/transformer.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/model/attention_args.h"
#include "lib/model/transformer_impl.h"
#include "lib/ops/ops.h"

namespace longhaul::model {
namespace {

using tensor::DType;

constexpr int32_t kIgnored = -100;

TransformerOptions complete_options(TransformerOptions options, const ModelConfig& config) {
    if (options.seq_len == 0) options.seq_len = config.max_seq_len;
    if (options.seq_len < 0 || options.seq_len > config.max_seq_len) {
        throw UsageError(format("sequence length {} is beyond [model] max_seq_len = {}",
                                options.seq_len, config.max_seq_len));
    }
    if (options.cache_len < 0 || options.cache_len > config.max_seq_len) {
        throw UsageError(format("a context of {} tokens is beyond [model] max_seq_len = {}",
                                options.cache_len, config.max_seq_len));
    }
    if (options.micro_batch < 1) {
        throw UsageError(format("micro-batch of {} sequences", options.micro_batch));
    }
    return options;
}

/// Attention reads the keys from a token's document's begin to the token itself.
void check_documents(const Batch& batch) {
    for (int64_t i = 0; i < batch.batch * batch.seq_len; ++i) {
        const int64_t position = i % batch.seq_len;
        const int32_t begin = batch.document_begins[i];
        const int32_t before = position == 0 ? 0 : batch.document_begins[i - 1];
        LH_CHECK(begin >= before && begin <= position,
                 "sequence {}, position {}: document begins at {}, that of the token before at {}",
                 i / batch.seq_len, position, begin, before);
    }
}

}  // namespace

DType accumulator_dtype(DType compute) {
    return compute == DType::kF64 ? DType::kF64 : DType::kF32;
}

Transformer::Impl::Impl(const ModelConfig& model_config, const TransformerOptions& wanted,
                        tensor::Alloc& alloc)
    : config(complete(model_config)),
      options(complete_options(wanted, config)),
      params(build_params(config, options.compute)) {
    context_.compute = options.compute;
    context_.accumulator = accumulator_dtype(options.compute);
    context_.norm_eps = config.norm_eps;
    context_.order = options.fixed_order_matmul ? kernels::MatmulOrder::kFixedOrder
                                                : kernels::MatmulOrder::kFastest;
    context_.params.resize(params.specs.size());
    allocate(alloc);
}

void Transformer::Impl::bind(int index, tensor::Buffer weight, tensor::Buffer gradient) {
    const parallel::ParamSpec& spec = params.specs.at(static_cast<size_t>(index));
    const int64_t count = tensor::num_elements(spec.shape);
    LH_CHECK(weight.count == count && weight.dtype == context_.compute,
             "{}: weight of {} {} elements, expected {} {}", spec.name, weight.count,
             tensor::name_of(weight.dtype), count, tensor::name_of(context_.compute));
    LH_CHECK(
        !options.training || (gradient.count == count && gradient.dtype == context_.accumulator),
        "{}: gradient of {} {} elements, expected {} {}", spec.name, gradient.count,
        tensor::name_of(gradient.dtype), count, tensor::name_of(context_.accumulator));
    context_.params[static_cast<size_t>(index)] = {weight, gradient};
}

/// @return the number of targets that count. @throws DataError naming the first bad token.
int64_t Transformer::Impl::check_batch(const Batch& batch) const {
    LH_CHECK(batch.batch >= 1 && batch.batch <= options.micro_batch && batch.seq_len >= 1 &&
                 batch.seq_len <= options.seq_len,
             "batch of {} x {} tokens, memory is for {} x {}", batch.batch, batch.seq_len,
             options.micro_batch, options.seq_len);
    const auto fail = [&](const char* what, int32_t id, int64_t i) {
        throw DataError(format("{} {} of sequence {}, position {}, is outside the vocabulary of {}",
                               what, id, i / batch.seq_len, i % batch.seq_len, config.vocab_size));
    };
    if (batch.document_begins != nullptr) check_documents(batch);
    int64_t valid = 0;
    for (int64_t i = 0; i < batch.batch * batch.seq_len; ++i) {
        const int32_t token = batch.tokens[i];
        if (token < 0 || token >= config.vocab_size) fail("token", token, i);
        if (batch.targets == nullptr || batch.targets[i] == kIgnored) continue;
        if (batch.targets[i] < 0 || batch.targets[i] >= config.vocab_size) {
            fail("target", batch.targets[i], i);
        }
        ++valid;
    }
    return valid;
}

Transformer::Impl::Pair Transformer::Impl::run_blocks(const Batch& batch, int64_t first_position,
                                                      bool cached) {
    shape_ = {batch.batch, batch.seq_len, first_position, batch.document_begins};
    next_backward_ = open_weight_ = -1;
    void* first_sum = saved_.front().sum1.data;
    ops::embedding_forward(context_.stream,
                           {context_.compute, shape_.rows(), config.hidden, batch.seq_len,
                            first_position, batch.tokens, context_.weight(params.tokens),
                            context_.weight(params.positions), first_sum, batch.document_begins});
    Pair pair{first_sum, nullptr};
    for (size_t layer = 0; layer < blocks_.size(); ++layer) {
        blocks_[layer].forward(context_, shape_, pair.x, pair.residual, saved_[layer], scratch_,
                               branch_.data, cached ? caches_[layer] : KeyValueCache{});
        pair = {saved_[layer].sum2.data, branch_.data};
    }
    return pair;
}

LossSums Transformer::Impl::forward(const Batch& batch) {
    LossSums sums;
    sums.valid_tokens = check_batch(batch);
    const Pair pair = run_blocks(batch);
    sums.loss_sum = head_->loss(context_, shape_.rows(), pair.x, pair.residual, batch.targets);
    return sums;
}

LossSums Transformer::Impl::forward_train(const Batch& batch, double grad_scale) {
    LH_CHECK(options.training, "forward_train() of a model made for inference");
    LossSums sums;
    sums.valid_tokens = check_batch(batch);
    const Pair pair = run_blocks(batch);
    sums.loss_sum = head_->loss_and_gradient(context_, shape_.rows(), pair.x, pair.residual,
                                             batch.targets, grad_scale);
    tokens_ = batch.tokens;
    next_backward_ = static_cast<int>(config.num_layers);
    open_weight_ = -1;
    head_->backward(context_, shape_.rows(), residual_gradient(next_backward_));
    return sums;
}

void Transformer::Impl::backward(const BlockDone& on_block) {
    const int head_block = static_cast<int>(config.num_layers) + 1;
    if (on_block) on_block(head_block);
    for (int block = head_block - 1; block >= 1; --block) {
        backward_input(block);
        backward_weight(block);
        if (on_block) on_block(block);
    }
    backward_embedding();
    if (on_block) on_block(0);
}

void Transformer::Impl::backward_input(int block) {
    LH_CHECK(block == next_backward_ && open_weight_ == -1 && block >= 1,
             "backward_input({}): due is block {}, weights open: {}", block, next_backward_,
             open_weight_);
    const auto layer = static_cast<size_t>(block - 1);
    if (options.recompute == Recompute::kFull) {
        blocks_[layer].recompute_all(context_, shape_, saved_[layer], scratch_);
    } else if (options.recompute == Recompute::kSelective) {
        blocks_[layer].recompute_cheap(context_, shape_, saved_[layer]);
    }
    blocks_[layer].backward_input(context_, shape_, saved_[layer], gradients_, scratch_,
                                  residual_gradient(block), residual_gradient(block - 1));
    open_weight_ = block;
    next_backward_ = block - 1;
}

void Transformer::Impl::backward_weight(int block) {
    LH_CHECK(block == open_weight_, "backward_weight({}): due is block {}", block, open_weight_);
    const auto layer = static_cast<size_t>(block - 1);
    blocks_[layer].backward_weight(context_, shape_, saved_[layer], gradients_,
                                   residual_gradient(block));
    open_weight_ = -1;
}

void Transformer::Impl::backward_embedding() {
    LH_CHECK(next_backward_ == 0 && open_weight_ == -1,
             "backward_embedding(): due is block {}, weights open: {}", next_backward_,
             open_weight_);
    ops::embedding_backward(
        context_.stream, {context_.compute, shape_.rows(), config.hidden, shape_.seq_len, tokens_,
                          residual_gradient(0), context_.gradient(params.tokens),
                          context_.gradient(params.positions), shape_.document_begins});
    next_backward_ = -1;
}

void Transformer::Impl::logits(const Batch& batch, std::span<double> out) {
    check_batch(batch);
    LH_CHECK(static_cast<int64_t>(out.size()) == batch.batch * batch.seq_len * config.vocab_size,
             "room for {} logits", out.size());
    const Pair pair = run_blocks(batch);
    head_->logits(context_, shape_.rows(), pair.x, pair.residual, out);
}

void Transformer::Impl::extend(std::span<const int32_t> tokens, std::span<double> out) {
    const auto count = static_cast<int64_t>(tokens.size());
    LH_CHECK(count > 0 && static_cast<int64_t>(out.size()) == config.vocab_size,
             "extend() by {} tokens with room for {} logits", count, out.size());
    if (cached_tokens + count > options.cache_len) {
        throw UsageError(format("{} tokens after {} are more than the context of {}", count,
                                cached_tokens, options.cache_len));
    }
    for (int64_t first = 0; first < count; first += options.seq_len) {
        const int64_t piece = std::min(options.seq_len, count - first);
        const Batch batch{tokens.data() + first, nullptr, 1, piece};
        check_batch(batch);
        const Pair pair = run_blocks(batch, cached_tokens, true);
        cached_tokens += piece;
        if (first + piece < count) continue;
        const int64_t last_row = (piece - 1) * config.hidden;
        head_->logits(context_, 1, element_at(pair.x, context_.compute, last_row),
                      element_at(pair.residual, context_.compute, last_row), out);
    }
}

void Transformer::Impl::truncate_cache(int64_t count) {
    LH_CHECK(count >= 0 && count <= cached_tokens, "{} of {} cached tokens", count, cached_tokens);
    cached_tokens = count;
}

Transformer::Transformer(const ModelConfig& config, const TransformerOptions& options,
                         tensor::Alloc& alloc)
    : impl_(std::make_unique<Impl>(config, options, alloc)) {}
Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

const ModelConfig& Transformer::config() const {
    return impl_->config;
}
const TransformerOptions& Transformer::options() const {
    return impl_->options;
}
std::span<const parallel::ParamSpec> Transformer::params() const {
    return impl_->params.specs;
}
void Transformer::bind(int index, tensor::Buffer weight, tensor::Buffer gradient) {
    impl_->bind(index, weight, gradient);
}
LossSums Transformer::forward(const Batch& batch) {
    return impl_->forward(batch);
}
LossSums Transformer::forward_train(const Batch& batch, double grad_scale) {
    return impl_->forward_train(batch, grad_scale);
}
void Transformer::backward(const BlockDone& on_block) {
    impl_->backward(on_block);
}
void Transformer::backward_input(int block) {
    impl_->backward_input(block);
}
void Transformer::backward_weight(int block) {
    impl_->backward_weight(block);
}
void Transformer::backward_embedding() {
    impl_->backward_embedding();
}
void Transformer::logits(const Batch& batch, std::span<double> out) {
    impl_->logits(batch, out);
}

void Transformer::extend(std::span<const int32_t> tokens, std::span<double> out) {
    impl_->extend(tokens, out);
}
int64_t Transformer::cached_tokens() const {
    return impl_->cached_tokens;
}
void Transformer::truncate_cache(int64_t count) {
    impl_->truncate_cache(count);
}

}  // namespace longhaul::model
