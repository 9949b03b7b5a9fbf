// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/generate.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/philox.h"

namespace longhaul::train {
namespace {

struct Candidate {
    int32_t token;
    double weight;  // exp((logit - largest) / temperature)
};

int32_t likeliest(std::span<const double> logits) {
    return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

void check_finite(std::span<const double> logits) {
    for (size_t i = 0; i < logits.size(); ++i) {
        if (std::isfinite(logits[i])) continue;
        throw Error(format("logit of token {} is {}: the weights are damaged or have diverged", i,
                           logits[i]));
    }
}

/// Likelier first; equal ones by id, so that a cut between them is always the same.
bool is_before(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

void keep_top_k(std::vector<Candidate>& candidates, int64_t top_k) {
    const auto count = static_cast<size_t>(top_k);
    if (top_k <= 0 || count >= candidates.size()) return;
    std::nth_element(candidates.begin(), candidates.begin() + top_k, candidates.end(), is_before);
    candidates.resize(count);
}

double total_weight(const std::vector<Candidate>& candidates) {
    double total = 0;
    for (const Candidate& candidate : candidates) total += candidate.weight;
    return total;
}

/// The shortest run of the likeliest candidates whose probability reaches top_p.
void keep_top_p(std::vector<Candidate>& candidates, double top_p) {
    if (top_p >= 1) return;
    std::sort(candidates.begin(), candidates.end(), is_before);
    const double wanted = top_p * total_weight(candidates);
    double reached = 0;
    size_t count = 0;
    while (count < candidates.size() && reached < wanted) reached += candidates[count++].weight;
    candidates.resize(std::max<size_t>(count, 1));
}

/// Token order makes the draw independent of how the candidates were selected.
int32_t draw(std::vector<Candidate>& candidates, double uniform) {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.token < b.token; });
    const double wanted = uniform * total_weight(candidates);
    double reached = 0;
    for (const Candidate& candidate : candidates) {
        reached += candidate.weight;
        if (reached > wanted) return candidate.token;
    }
    return candidates.back().token;
}

}  // namespace

void check_sampling(const SamplingOptions& options) {
    if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
        throw UsageError(
            format("temperature {} is not a number of at least 0", options.temperature));
    }
    if (options.top_k < 0) throw UsageError(format("top-k {} is negative", options.top_k));
    if (!(options.top_p > 0 && options.top_p <= 1)) {
        throw UsageError(format("top-p {} does not lie in (0, 1]", options.top_p));
    }
}

int32_t sample_token(std::span<const double> logits, const SamplingOptions& options,
                     int64_t position) {
    check_finite(logits);
    const int32_t best = likeliest(logits);
    if (options.temperature == 0) return best;
    std::vector<Candidate> candidates(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) {
        const double lead = (logits[i] - logits[static_cast<size_t>(best)]) / options.temperature;
        candidates[i] = {static_cast<int32_t>(i), std::exp(lead)};
    }
    keep_top_k(candidates, options.top_k);
    keep_top_p(candidates, options.top_p);
    const PhiloxBlock block = philox_draw({options.seed, RandomPurpose::kSampling, 0, 0},
                                          static_cast<uint64_t>(position));
    return draw(candidates, uniform_double(block.word[0], block.word[1]));
}

GenerateResult generate(model::Transformer& model, std::span<const int32_t> prompt,
                        const GenerateOptions& options,
                        const std::function<bool(int32_t)>& on_token) {
    check_sampling(options.sampling);
    if (prompt.empty()) throw UsageError("the prompt is empty: give at least one token");
    model.truncate_cache(0);
    std::vector<double> logits(static_cast<size_t>(model.config().vocab_size));
    model.extend(prompt, logits);
    GenerateResult result;
    while (static_cast<int64_t>(result.tokens.size()) < options.max_tokens) {
        const auto position = static_cast<int64_t>(prompt.size() + result.tokens.size());
        const int32_t token = sample_token(logits, options.sampling, position);
        if (token == options.stop_token) {
            result.reason = StopReason::kStopToken;
            return result;
        }
        result.tokens.push_back(token);
        if (on_token && !on_token(token)) {
            result.reason = StopReason::kCaller;
            return result;
        }
        if (static_cast<int64_t>(result.tokens.size()) == options.max_tokens) break;
        if (model.cached_tokens() == model.options().cache_len) {
            result.reason = StopReason::kContextFull;
            return result;
        }
        model.extend(std::span(&token, 1), logits);
    }
    return result;
}

}  // namespace longhaul::train
