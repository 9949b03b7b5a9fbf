// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/blend.h"

#include <algorithm>
#include <cmath>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

__extension__ using Wide = unsigned __int128;

/// Shares are integers over this unit, so that no rounding depends on the machine.
constexpr uint64_t kShareUnit = uint64_t{1} << 32;

/// floor(share * slots / unit).
uint64_t share_of(uint64_t share, uint64_t slots) {
    return static_cast<uint64_t>(static_cast<Wide>(share) * slots / kShareUnit);
}

/// A sample of a block: its place in time is numerator / (2 count).
struct Slot {
    uint64_t numerator, count;
    size_t set;
    uint64_t own;
    bool operator<(const Slot& other) const {
        const uint64_t left = numerator * other.count, right = other.numerator * count;
        return left != right ? left < right : set < other.set;
    }
};

/// The smallest block in which every set gets a sample or more on average: then no count in a block
/// is negative, since the floors are off by less than one each.
uint64_t block_for(const std::vector<uint64_t>& cumulative) {
    constexpr uint64_t kMaxBlock = 65536;
    uint64_t smallest = kShareUnit;
    for (size_t i = 0; i + 1 < cumulative.size(); ++i) {
        smallest = std::min(smallest, cumulative[i + 1] - cumulative[i]);
    }
    uint64_t block = 1;
    while (block <= kMaxBlock && smallest * block < kShareUnit) block *= 2;
    if (block > kMaxBlock) {
        throw UsageError(format("a data set's share is below 1 in {} samples", kMaxBlock));
    }
    return block;
}

std::vector<uint64_t> cumulate(const std::vector<BlendPart>& parts) {
    double total = 0;
    for (const BlendPart& part : parts) {
        if (!(part.weight > 0) || !std::isfinite(part.weight)) {
            throw UsageError(format("data {}: weight {} is not a positive number",
                                    part.folder.string(), part.weight));
        }
        total += part.weight;
    }
    std::vector<uint64_t> cumulative{0};
    double sum = 0;
    for (const BlendPart& part : parts) {
        sum += part.weight;
        cumulative.push_back(
            static_cast<uint64_t>(std::llround(sum / total * static_cast<double>(kShareUnit))));
    }
    cumulative.back() = kShareUnit;
    return cumulative;
}

}  // namespace

Blend::Blend(const std::vector<BlendPart>& parts, uint64_t seq_len, uint64_t seed)
    : seq_len_(seq_len) {
    if (parts.empty()) throw UsageError("no data set is given");
    cumulative_ = cumulate(parts);
    block_ = block_for(cumulative_);
    for (const BlendPart& part : parts) {
        const DatasetInfo& info = sets_.emplace_back(part.folder).info();
        with_context(
            [&] { orders_.emplace_back(info.num_tokens, seq_len, seed, info.manifest_hash); },
            "data {}", part.folder.string());
        const DatasetInfo& first = sets_.front().info();
        if (info.tokenizer_hash != first.tokenizer_hash) {
            throw UsageError(format("{} was made by another tokenizer than {}",
                                    part.folder.string(), first.folder.string()));
        }
    }
}

uint64_t Blend::num_windows() const {
    uint64_t total = 0;
    for (const SampleOrder& order : orders_) total += order.num_windows();
    return total;
}

SampleSource Blend::locate(uint64_t sample) const {
    // Set k has given C_k(t) = floor(W_k+1 t) - floor(W_k t) samples after t slots. Inside a block
    // its i-th of n samples belongs at time (2 i + 1) / (2 n), which spreads all sets evenly.
    const uint64_t block_begin = sample / block_ * block_;
    const auto given = [&](size_t set, uint64_t slots) {
        return share_of(cumulative_[set + 1], slots) - share_of(cumulative_[set], slots);
    };
    std::vector<Slot> slots;
    slots.reserve(block_);
    for (size_t set = 0; set < sets_.size(); ++set) {
        const uint64_t before = given(set, block_begin);
        const uint64_t count = given(set, block_begin + block_) - before;
        for (uint64_t i = 0; i < count; ++i) slots.push_back({2 * i + 1, count, set, before + i});
    }
    LH_CHECK(slots.size() == block_, "{} samples in a block of {}", slots.size(), block_);
    const auto chosen = slots.begin() + static_cast<ptrdiff_t>(sample - block_begin);
    std::nth_element(slots.begin(), chosen, slots.end());
    const SampleOrder& order = orders_[chosen->set];
    return {chosen->set, chosen->own, order.epoch(chosen->own), order.first_token(chosen->own)};
}

void Blend::read(uint64_t sample, std::span<int32_t> out) const {
    LH_CHECK(out.size() == seq_len_ + 1, "{} places for a sample of {} tokens", out.size(),
             seq_len_ + 1);
    const SampleSource source = locate(sample);
    sets_[source.set].read(source.first_token, out);
}

std::vector<uint32_t> Blend::document_starts(uint64_t sample) const {
    const SampleSource source = locate(sample);
    std::vector<uint32_t> positions;
    for (const uint64_t token :
         sets_[source.set].document_starts(source.first_token, seq_len_ + 1)) {
        positions.push_back(static_cast<uint32_t>(token - source.first_token));
    }
    return positions;
}

}  // namespace longhaul::shards
