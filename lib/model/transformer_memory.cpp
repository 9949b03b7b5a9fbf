// SPDX-License-Identifier: BSD-3-Clause
// Memory of the transformer: what is kept per block, what all blocks share.

#include <algorithm>

#include "lib/base/format.h"
#include "lib/model/attention_args.h"
#include "lib/model/transformer_impl.h"
#include "lib/ops/ops.h"

namespace longhaul::model {
namespace {

using tensor::Buffer;
using tensor::DType;
using tensor::MemoryClass;

/// The cheapest recomputation that brings a tensor back; kNone: it must be kept.
enum class Source : uint8_t { kInput, kCheap, kFull };

/// One entry of the table of saved tensors.
struct SavedTensor {
    Buffer BlockSaved::*member;
    const char* name;
    int64_t count;
    bool is_accumulator;
    Source source;
};

std::vector<SavedTensor> saved_tensors(const ModelConfig& config,
                                       const TransformerOptions& options) {
    const int64_t rows = options.micro_batch * options.seq_len;
    const int64_t hidden = config.hidden;
    const bool gpt2 = config.family == Family::kGpt2;
    const int64_t means = gpt2 ? rows : 0;
    const int64_t norm_heads = config.qk_norm ? 1 : 0;
    const int64_t kv = config.num_kv_heads;
    return {
        {&BlockSaved::sum1, "sum1", rows * hidden, false, Source::kInput},
        {&BlockSaved::mean1, "mean1", means, true, Source::kFull},
        {&BlockSaved::rstd1, "rstd1", rows, true, Source::kFull},
        {&BlockSaved::norm1, "norm1", rows * hidden, false, Source::kCheap},
        {&BlockSaved::qk_raw, "qk_raw",
         norm_heads * rows * (config.num_heads + kv) * config.head_dim, false, Source::kFull},
        {&BlockSaved::q_rstd, "q_rstd", norm_heads * rows * config.num_heads, true, Source::kFull},
        {&BlockSaved::k_rstd, "k_rstd", norm_heads * rows * kv, true, Source::kFull},
        {&BlockSaved::qkv, "qkv", rows * config.qkv_columns(), false, Source::kFull},
        {&BlockSaved::lse, "lse", rows * config.num_heads, true, Source::kFull},
        {&BlockSaved::attended, "attended", rows * config.attention_columns(), false,
         Source::kFull},
        {&BlockSaved::sum2, "sum2", rows * hidden, false, Source::kFull},
        {&BlockSaved::mean2, "mean2", means, true, Source::kFull},
        {&BlockSaved::rstd2, "rstd2", rows, true, Source::kFull},
        {&BlockSaved::norm2, "norm2", rows * hidden, false, Source::kCheap},
        {&BlockSaved::hidden, "hidden", rows * config.ffn_hidden * (gpt2 ? 1 : 2), false,
         Source::kFull},
        {&BlockSaved::activated, "activated", rows * config.ffn_hidden, false, Source::kCheap},
    };
}

/// True when a tensor lives in memory that all blocks share.
bool is_shared(Source source, const TransformerOptions& options) {
    if (!options.training) return true;
    switch (source) {
        case Source::kInput:
            return false;
        case Source::kCheap:
            return options.recompute != Recompute::kNone;
        case Source::kFull:
            return options.recompute == Recompute::kFull;
    }
    return false;
}

}  // namespace

BlockSaved Transformer::Impl::make_saved(tensor::Alloc& alloc, const BlockSaved* shared,
                                         int block) {
    BlockSaved saved;
    for (const SavedTensor& entry : saved_tensors(config, options)) {
        const bool share = is_shared(entry.source, options);
        if (share && shared != nullptr) {
            saved.*entry.member = shared->*entry.member;
            continue;
        }
        const DType dtype = entry.is_accumulator ? context_.accumulator : context_.compute;
        saved.*entry.member =
            alloc.get(share ? MemoryClass::kTemporary : MemoryClass::kActivation, entry.count,
                      dtype, format("block {} {}", block, entry.name));
    }
    return saved;
}

void Transformer::Impl::allocate(tensor::Alloc& alloc) {
    const int64_t rows = options.micro_batch * options.seq_len;
    rope_ = make_rope_table(config, std::max(options.seq_len, options.cache_len),
                            context_.accumulator, alloc);
    for (int layer = 0; layer < static_cast<int>(config.num_layers); ++layer) {
        blocks_.emplace_back(config, params.blocks[static_cast<size_t>(layer)], rope_);
        saved_.push_back(make_saved(alloc, layer == 0 ? nullptr : &saved_.front(), layer + 1));
        caches_.push_back(alloc.get(MemoryClass::kActivation,
                                    options.cache_len * 2 * config.num_kv_heads * config.head_dim,
                                    context_.compute, "key-value cache"));
    }
    const auto temporary = [&](int64_t count, const char* what) {
        return alloc.get(MemoryClass::kTemporary, count, context_.compute, what);
    };
    branch_ = temporary(rows * config.hidden, "feed-forward branch");
    scratch_.branch =
        temporary(rows * std::max(config.hidden, config.attention_columns()), "attention branch");
    const auto shape =
        attention_shape(config, context_.compute, options.micro_batch, options.seq_len);
    size_t bytes = ops::attention_scratch_bytes(context_.stream, shape, false);
    if (options.training) {
        bytes = std::max(bytes, ops::attention_scratch_bytes(context_.stream, shape, true));
        allocate_gradients(alloc);
    }
    scratch_.attention = alloc.get(MemoryClass::kTemporary, static_cast<int64_t>(bytes), DType::kU8,
                                   "attention scratch");
    head_.emplace(config, params, context_, rows, options.head_chunk_tokens, options.training,
                  alloc);
}

void Transformer::Impl::allocate_gradients(tensor::Alloc& alloc) {
    const int64_t rows = options.micro_batch * options.seq_len;
    const bool gpt2 = config.family == Family::kGpt2;
    const auto temporary = [&](int64_t columns, const char* what) {
        return alloc.get(MemoryClass::kTemporary, rows * columns, context_.compute, what);
    };
    for (Buffer& gradient : grad_residual_) gradient = temporary(config.hidden, "residual grad");
    gradients_.hidden = temporary(config.ffn_hidden * (gpt2 ? 1 : 2), "hidden grad");
    gradients_.norm2 = temporary(config.hidden, "norm2 grad");
    gradients_.sum2 = temporary(config.hidden, "sum2 grad");
    gradients_.qkv = temporary(config.qkv_columns(), "qkv grad");
    gradients_.norm1 = temporary(config.hidden, "norm1 grad");
    if (!gpt2) scratch_.activated = temporary(config.ffn_hidden, "activated grad");
}

}  // namespace longhaul::model
