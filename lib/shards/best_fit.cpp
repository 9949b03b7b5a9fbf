// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/best_fit.h"

#include <algorithm>
#include <map>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

constexpr uint32_t kCutBit = uint32_t{1} << 31, kRestBit = uint32_t{1} << 30;
constexpr uint32_t kCountMask = kRestBit - 1;

}  // namespace

BestFitPlan::BestFitPlan(std::span<const uint64_t> offsets, uint64_t capacity)
    : capacity_(capacity) {
    LH_CHECK(capacity >= 1 && !offsets.empty(), "capacity {}", capacity);
    if (capacity > kCountMask) {
        throw UsageError(
            format("data.packing = \"best-fit\" takes samples of at most {} tokens, "
                   "data.seq_len = {}",
                   kCountMask, capacity));
    }
    std::vector<Item> group;
    uint64_t in_group = 0;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        uint64_t first = offsets[i], length = offsets[i + 1] - offsets[i];
        num_tokens_ += length;
        for (; length > capacity; length -= capacity, first += capacity) {
            add_piece(first, capacity, kCutBit | (first > offsets[i] ? kRestBit : 0));
            begins_.push_back(counts_.size());
        }
        if (length > 0) {
            group.push_back({first, static_cast<uint32_t>(length), first > offsets[i]});
        }
        in_group += length;
        if (in_group < capacity * kGroupSamples) continue;
        pack_group(group);
        in_group = 0;
    }
    pack_group(group);
    if (num_samples() == 0) throw UsageError("the data set has no tokens");
}

void BestFitPlan::add_piece(uint64_t first_token, uint64_t count, uint32_t flags) {
    first_tokens_.push_back(first_token);
    counts_.push_back(static_cast<uint32_t>(count) | flags);
}

void BestFitPlan::pack_group(std::vector<Item>& items) {
    // Ties keep the order of the documents, and of equally full samples the oldest one is filled:
    // so the result depends on nothing but the lengths.
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.length > b.length; });
    struct Bin {
        std::vector<size_t> items;
    };
    std::vector<Bin> bins;
    std::map<uint64_t, std::vector<size_t>> by_room;  // free tokens -> bins, the oldest first
    for (size_t i = 0; i < items.size(); ++i) {
        uint64_t room = capacity_;
        size_t bin = bins.size();
        const auto fit = by_room.lower_bound(items[i].length);
        if (fit == by_room.end()) {
            bins.emplace_back();
        } else {
            room = fit->first;
            bin = fit->second.front();
            fit->second.erase(fit->second.begin());
            if (fit->second.empty()) by_room.erase(fit);
        }
        bins[bin].items.push_back(i);
        room -= items[i].length;
        if (room == 0) continue;
        auto& same = by_room[room];
        same.insert(std::upper_bound(same.begin(), same.end(), bin), bin);
    }
    for (Bin& bin : bins) {
        for (const size_t i : bin.items) {
            add_piece(items[i].first_token, items[i].length, items[i].is_rest ? kRestBit : 0);
        }
        begins_.push_back(counts_.size());
    }
    items.clear();
}

void BestFitPlan::append_pieces(uint64_t sample, std::vector<Piece>& out) const {
    LH_CHECK(sample < num_samples(), "sample {} of {}", sample, num_samples());
    for (uint64_t i = begins_[sample]; i < begins_[sample + 1]; ++i) {
        const uint32_t count = counts_[i];
        out.push_back({first_tokens_[i], count & kCountMask, (count & kCutBit) != 0, true,
                       (count & kRestBit) != 0});
    }
}

}  // namespace longhaul::shards
