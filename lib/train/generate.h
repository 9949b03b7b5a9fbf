// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text generation, in token ids: sampling from logits, and the loop that extends a sequence. Knows
// no tokenizer and no checkpoint.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/model/transformer.h"

namespace longhaul::train {

struct SamplingOptions {
    double temperature = 1;  // 0: greedy, the likeliest token (ties: the lowest id)
    int64_t top_k = 0;       // > 0: only the k likeliest tokens
    double top_p = 1;        // < 1: only the likeliest tokens that together reach this probability
    uint64_t seed = 0;
};

/// @throws UsageError naming the option that is out of range.
void check_sampling(const SamplingOptions& options);

/// Draws one token. The draw is a pure function of the logits, the options and `position`.
/// Sources: top-k: Fan et al., "Hierarchical Neural Story Generation", 2018; top-p: Holtzman et
/// al., "The Curious Case of Neural Text Degeneration", 2020.
/// @param position index of the token in the sequence: a fresh random number for each.
/// @throws Error when a logit is not finite.
int32_t sample_token(std::span<const double> logits, const SamplingOptions& options,
                     int64_t position);

struct GenerateOptions {
    SamplingOptions sampling;
    int64_t max_tokens = 128;  // new ones
    int32_t stop_token = -1;   // ends the text and is not part of it; negative: none
};

enum class StopReason : uint8_t { kMaxTokens, kStopToken, kContextFull, kCaller };

struct GenerateResult {
    std::vector<int32_t> tokens;  // the new ones
    StopReason reason = StopReason::kMaxTokens;
};

/// Continues `prompt` (at least one token). @param model made with cache_len; its cache is emptied
/// first. @param on_token called with each new token; false ends the text after it.
GenerateResult generate(model::Transformer& model, std::span<const int32_t> prompt,
                        const GenerateOptions& options,
                        const std::function<bool(int32_t)>& on_token = {});

}  // namespace longhaul::train
