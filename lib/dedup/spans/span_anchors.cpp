// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_anchors.h"

#include <cstring>
#include <deque>

namespace longhaul::dedup {

namespace {

// Any odd number will do (here: digits of pi): equal hashes of different grams cost time only.
constexpr uint64_t kBase = 0x9E6C63D0676A9A99;
constexpr uint64_t kMix = 0x4A7C15F39CC0605D;

/// The order of polynomial hashes follows the text; winnowing wants a random one.
uint64_t mixed(uint64_t hash) {
    hash ^= hash >> 32;
    hash *= kMix;
    return hash ^ (hash >> 29);
}

uint64_t byte_at(std::string_view text, size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Passes anchors on, except those inside of periodic runs.
///
/// Anchors of one gram at equal distances p <= gram make a chain, in which the text has the period
/// p from the first gram to the end of the last. With m the least multiple of p that is not below
/// the length of a passage: a passage in the chain that begins m or more behind its begin stands m
/// before too. So of an anchor x between first + m + reach and last - reach all passages are told
/// by SelfRepeat{first + m, m}. None of them is the first of its kind, and the first of its kind
/// has its anchor outside of these bounds.
class RunFilter {
 public:
    RunFilter(std::string_view text, const SubstringShape& shape, std::vector<Anchor>& anchors,
              std::vector<SelfRepeat>& repeats)
        : text_(text), shape_(shape), anchors_(anchors), repeats_(repeats) {}

    void add(const Anchor& anchor) {
        if (has_chain_ && continues(anchor)) {
            period_ = anchor.at - last_.at;
            last_ = anchor;
            hold_back(anchor);
            return;
        }
        finish();
        has_chain_ = true;
        first_ = last_ = anchor;
        period_ = 0;
        anchors_.push_back(anchor);
    }

    void finish() {
        anchors_.insert(anchors_.end(), held_.begin(), held_.end());
        held_.clear();
        if (!has_dropped_) return;
        has_dropped_ = false;
        const uint64_t at = first_.at + multiple();
        repeats_.push_back({at, multiple(), last_.at + shape_.gram - at});
    }

 private:
    bool continues(const Anchor& anchor) const {
        if (anchor.hash != last_.hash) return false;
        const uint64_t distance = anchor.at - last_.at;
        const char* const gram = text_.data() + last_.at;
        if (period_ == 0) {
            return distance <= shape_.gram && std::memcmp(gram, gram + distance, shape_.gram) == 0;
        }
        const char* const behind = gram + shape_.gram;  // the period is known up to here
        return distance == period_ && std::memcmp(behind, behind - distance, distance) == 0;
    }

    uint64_t multiple() const { return (shape_.length + period_ - 1) / period_ * period_; }

    void hold_back(const Anchor& anchor) {
        if (anchor.at - first_.at < multiple() + shape_.reach) {
            anchors_.push_back(anchor);
            return;
        }
        held_.push_back(anchor);
        while (!held_.empty() && held_.front().at + shape_.reach <= last_.at) {
            held_.pop_front();
            has_dropped_ = true;
        }
    }

    std::string_view text_;
    const SubstringShape& shape_;
    std::vector<Anchor>& anchors_;
    std::vector<SelfRepeat>& repeats_;
    bool has_chain_ = false;
    Anchor first_, last_;
    uint64_t period_ = 0;  // 0 while the chain is one anchor
    std::deque<Anchor> held_;
    bool has_dropped_ = false;
};

}  // namespace

AnchorScanner::AnchorScanner(const SubstringShape& shape)
    : shape_(shape), window_(shape.reach + 1), block_(window_), suffixes_(window_) {
    for (size_t i = 1; i < shape_.gram; ++i) leaving_factor_ *= kBase;
}

void AnchorScanner::scan(std::string_view text, std::vector<Anchor>& anchors,
                         std::vector<SelfRepeat>& repeats) {
    if (text.size() < shape_.length) return;
    RunFilter filter(text, shape_, anchors, repeats);
    uint64_t hash = 0;
    for (size_t i = 0; i + 1 < shape_.gram; ++i) hash = hash * kBase + byte_at(text, i);
    const size_t num_grams = text.size() - shape_.gram + 1;
    uint64_t last_at = ~uint64_t{0};
    for (size_t gram = 0, slot = 0; gram < num_grams; ++gram) {
        hash = hash * kBase + byte_at(text, gram + shape_.gram - 1);
        block_[slot] = {mixed(hash), gram};
        if (slot == 0 || block_[slot].hash <= prefix_.hash) prefix_ = block_[slot];
        if (gram + 1 >= window_ && least(slot).at != last_at) {
            last_at = least(slot).at;
            filter.add(least(slot));
        }
        hash -= byte_at(text, gram) * leaving_factor_;
        if (++slot == window_) {
            end_block();
            slot = 0;
        }
    }
    filter.finish();
}

const Anchor& AnchorScanner::least(size_t slot) const {
    if (slot + 1 == window_) return prefix_;
    const Anchor& before = suffixes_[slot + 1];
    return prefix_.hash <= before.hash ? prefix_ : before;
}

void AnchorScanner::end_block() {
    Anchor best = block_.back();
    for (size_t i = window_; i-- > 0;) {
        if (block_[i].hash < best.hash) best = block_[i];
        suffixes_[i] = best;
    }
}

}  // namespace longhaul::dedup
