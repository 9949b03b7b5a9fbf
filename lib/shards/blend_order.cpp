// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/blend_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/shards/old_blend.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::shards {

namespace {

constexpr size_t kMostSets = 65535;

void check_weights(std::span<const double> weights) {
    if (weights.empty()) throw UsageError("no data set is given");
    if (weights.size() > kMostSets) throw UsageError(format("more than {} data sets", kMostSets));
    for (size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] > 0 && std::isfinite(weights[i])) continue;
        throw UsageError(
            format("data set {}: weight {} is not a positive number", i + 1, weights[i]));
    }
    if (!std::isfinite(std::accumulate(weights.begin(), weights.end(), 0.0))) {
        throw UsageError("the weights of the data sets add up to more than a number can hold");
    }
}

/// The weights times a power of ten, if all of them are whole numbers then.
std::optional<std::vector<uint64_t>> decimal_shares(std::span<const double> weights) {
    constexpr double kMost = 1e15;  // below 2^53: whole numbers are exact
    constexpr int kMostDecimals = 9;
    double scale = 1;
    for (int decimals = 0; decimals <= kMostDecimals; ++decimals, scale *= 10) {
        std::vector<uint64_t> shares;
        for (const double weight : weights) {
            const double scaled = std::round(weight * scale);
            // The quotient of two exact numbers is rounded as the decimal text of the weight was.
            if (scaled < 1 || scaled > kMost || scaled / scale != weight) break;
            shares.push_back(static_cast<uint64_t>(scaled));
        }
        if (shares.size() == weights.size()) return shares;
    }
    return std::nullopt;
}

/// Rounds to kMostSlots parts; the largest remainders get what is left, the first of equal ones.
std::vector<uint64_t> rounded_shares(std::span<const double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<uint64_t> shares;
    std::vector<std::pair<double, size_t>> remainders;
    uint64_t given = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
        const double ideal = weights[i] / total * static_cast<double>(kMostSlots);
        shares.push_back(static_cast<uint64_t>(ideal));
        remainders.emplace_back(std::floor(ideal) - ideal, i);
        given += shares.back();
    }
    std::sort(remainders.begin(), remainders.end());
    for (size_t i = 0; given < kMostSlots; ++i, ++given) ++shares[remainders[i].second];
    return shares;
}

/// Each sample of a set has a slot before which its count would be a whole sample ahead of its
/// share, and one after which it would be a whole sample behind. Taking the most urgent one among
/// those that may come meets all deadlines, so the running error stays below one.
/// Source: Tijdeman, "The chairman assignment problem", 1980; Baruah et al., "Proportionate
/// progress", 1996, lemma on windows of subtasks.
class ExactBlend : public BlendOrder {
 public:
    explicit ExactBlend(std::vector<uint64_t> shares)
        : shares_(std::move(shares)),
          period_(std::accumulate(shares_.begin(), shares_.end(), uint64_t{0})),
          sequence_(shares_.size(), period_) {
        using Entry = std::pair<uint64_t, size_t>;  // slot, set
        using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
        Heap waiting, ready;
        std::vector<uint64_t> given(shares_.size(), 0);
        for (size_t set = 0; set < shares_.size(); ++set) waiting.emplace(0, set);
        for (uint64_t slot = 0; slot < period_; ++slot) {
            for (; !waiting.empty() && waiting.top().first <= slot; waiting.pop()) {
                const size_t set = waiting.top().second;
                ready.emplace(last_slot(set, given[set]), set);
            }
            LH_CHECK(!ready.empty() && ready.top().first >= slot, "no set may give slot {}", slot);
            const size_t set = ready.top().second;
            ready.pop();
            sequence_.push(set);
            if (++given[set] < shares_[set]) waiting.emplace(first_slot(set, given[set]), set);
        }
    }

    BlendPlace locate(uint64_t sample) const override {
        const uint64_t round = sample / period_;
        BlendPlace place = sequence_.locate(sample % period_);
        place.own += round * shares_[place.set];
        return place;
    }
    std::span<const uint64_t> shares() const override { return shares_; }

 private:
    /// Where sample `i` of a set may come first: floor(i / share).
    uint64_t first_slot(size_t set, uint64_t i) const { return i * period_ / shares_[set]; }
    /// And last: ceil((i + 1) / share) - 1.
    uint64_t last_slot(size_t set, uint64_t i) const {
        return ((i + 1) * period_ - 1) / shares_[set];
    }

    std::vector<uint64_t> shares_;
    uint64_t period_;
    SetSequence sequence_;
};

class MegatronBlend : public BlendOrder {
 public:
    MegatronBlend(std::span<const double> weights, uint64_t num_samples)
        : sequence_(weights.size(), num_samples) {
        std::vector<double> given(weights.size(), 0);
        for (uint64_t sample = 0; sample < num_samples; ++sample) {
            const double at = std::max(static_cast<double>(sample), 1.0);
            size_t furthest = 0;
            for (size_t set = 1; set < weights.size(); ++set) {
                const double behind = weights[set] * at - given[set];
                if (behind > weights[furthest] * at - given[furthest]) furthest = set;
            }
            given[furthest] += 1;
            sequence_.push(furthest);
        }
        for (const double count : given) shares_.push_back(static_cast<uint64_t>(count));
    }

    BlendPlace locate(uint64_t sample) const override {
        if (sample >= sequence_.size()) {
            throw UsageError(
                format("sample {} lies beyond the {} samples of data.order = \"megatron\": "
                       "their order depends on the length of the run (data.order_samples)",
                       sample, sequence_.size()));
        }
        return sequence_.locate(sample);
    }
    std::span<const uint64_t> shares() const override { return shares_; }

 private:
    SetSequence sequence_;
    std::vector<uint64_t> shares_;
};

}  // namespace

std::vector<uint64_t> shares_of(std::span<const double> weights) {
    check_weights(weights);
    auto shares = decimal_shares(weights);
    if (shares) {
        uint64_t divisor = 0, total = 0;
        for (const uint64_t share : *shares) divisor = std::gcd(divisor, share);
        LH_CHECK(divisor > 0, "{} weights without a share", shares->size());
        for (uint64_t& share : *shares) total += share /= divisor;
        if (total <= kMostSlots) return *shares;
    }
    shares = rounded_shares(weights);
    const auto none = std::find(shares->begin(), shares->end(), 0);
    if (none != shares->end()) {
        throw UsageError(format("data set {}: its share is below 1 in {} samples",
                                none - shares->begin() + 1, kMostSlots));
    }
    return *shares;
}

std::unique_ptr<BlendOrder> make_blend_order(std::span<const double> weights, int64_t version) {
    if (version == kOldBlend) {
        check_weights(weights);
        return std::make_unique<OldBlend>(weights);
    }
    return std::make_unique<ExactBlend>(shares_of(weights));
}

std::unique_ptr<BlendOrder> make_megatron_blend(std::span<const double> weights,
                                                uint64_t num_samples) {
    check_weights(weights);
    return std::make_unique<MegatronBlend>(weights, num_samples);
}

SetSequence::SetSequence(size_t num_sets, uint64_t num_slots)
    // The counts take at most as much room as the slots do twice.
    : num_sets_(num_sets), stride_(std::max<uint64_t>(512, 2 * num_sets)), running_(num_sets, 0) {
    sets_.reserve(num_slots);
    counts_.reserve((num_slots / stride_ + 1) * num_sets);
}

void SetSequence::push(size_t set) {
    if (sets_.size() % stride_ == 0) {
        counts_.insert(counts_.end(), running_.begin(), running_.end());
    }
    sets_.push_back(static_cast<uint16_t>(set));
    ++running_[set];
}

BlendPlace SetSequence::locate(uint64_t slot) const {
    LH_CHECK(slot < sets_.size(), "slot {} of {}", slot, sets_.size());
    const uint64_t stop = slot / stride_;
    const uint16_t set = sets_[slot];
    const auto* const begin = sets_.data() + stop * stride_;
    const auto since = std::count(begin, sets_.data() + slot, set);
    return {set, counts_[stop * num_sets_ + set] + static_cast<uint64_t>(since)};
}

}  // namespace longhaul::shards
