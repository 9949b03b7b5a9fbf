// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/shingle.h"

#include <algorithm>
#include <cstring>

namespace longhaul::dedup {

namespace {

// Constants of the native scheme (digits of pi); changing one makes a new scheme.
constexpr uint64_t kWordKey0 = 0x243F6A8885A308D3;
constexpr uint64_t kWordKey1 = 0x13198A2E03707344;
constexpr uint64_t kFactorKey = 0xA4093822299F31D1;
constexpr uint64_t kFinal = 0x082EFA98EC4E6C89;
constexpr size_t kShortWord = 16;

/// High and low half of the product folded together: the mixing step of wyhash and XXH3.
uint64_t fold_multiply(uint64_t a, uint64_t b) {
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t load64(const char* p) {
    uint64_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// Reads up to 8 bytes behind the word: the normaliser pads its buffer.
uint64_t word_hash(const char* word, size_t length) {
    if (length <= 8) {
        const uint64_t bytes = load64(word) & (~uint64_t{0} >> (64 - 8 * length));
        return fold_multiply(bytes ^ kWordKey0, length ^ kWordKey1);
    }
    if (length <= kShortWord) {
        return fold_multiply(load64(word) ^ kWordKey0,
                             load64(word + length - 8) ^ kWordKey1 ^ length);
    }
    return xxh3_64({word, length}, kWordKey0);
}

}  // namespace

Shingler::Shingler(const Parameters& parameters)
    : scheme_(parameters.scheme), ngram_(static_cast<size_t>(parameters.ngram)) {
    for (uint64_t i = 0; i < ngram_; ++i) {
        factors_.push_back(fold_multiply(kFactorKey ^ (i + 1), kFinal + 2 * i) | 1);
    }
}

void Shingler::load(std::string_view text) {
    normalized_ = normalizer_.normalize(text);
    if (normalized_.empty()) {
        exact_hash_ = xxh3_128(text);
        exact_hash_.high = ~exact_hash_.high;  // apart from hashes of normalised texts
    } else {
        exact_hash_ = xxh3_128(normalized_);
    }
}

void Shingler::native_shingles() {
    // At most a word every two bytes, or every character of three: reserved, mostly not touched.
    shingles_.reserve(normalized_.size() / 2 + 1);
    text::for_each_word(normalized_, [&](const char* word, size_t length) {
        shingles_.push_back(word_hash(word, length));
    });
    if (shingles_.size() < ngram_) {
        shingles_.clear();
        return;
    }
    // In place: shingle i takes the place of word i, which no later shingle needs.
    const size_t count = shingles_.size() - ngram_ + 1;
    uint64_t* const words = shingles_.data();
    for (size_t i = 0; i < count; ++i) {
        uint64_t sum = 0;
        for (size_t j = 0; j < ngram_; ++j) sum += words[i + j] * factors_[j];
        words[i] = fold_multiply(sum ^ kFinal, kWordKey1);
    }
    shingles_.resize(count);
}

void Shingler::datatrove_shingles() {
    starts_.clear();
    joined_.clear();
    text::for_each_word(normalized_, [&](const char* word, size_t length) {
        starts_.push_back(joined_.size());
        joined_.append(word, length);
        joined_ += ' ';
    });
    if (starts_.size() < ngram_) return;
    starts_.push_back(joined_.size());
    for (size_t i = 0; i + ngram_ < starts_.size(); ++i) {
        const size_t length = starts_[i + ngram_] - starts_[i] - 1;
        shingles_.push_back(xxh64({joined_.data() + starts_[i], length}));
    }
}

std::span<const uint64_t> Shingler::shingles() {
    constexpr size_t kKept = 1 << 20;  // a giant document does not stay allocated for ever
    if (shingles_.capacity() > kKept) std::vector<uint64_t>().swap(shingles_);
    shingles_.clear();
    if (scheme_ == Scheme::kNative) {
        native_shingles();
    } else {
        datatrove_shingles();
    }
    return shingles_;
}

std::span<const uint64_t> Shingler::shingle_set() {
    shingles();
    std::sort(shingles_.begin(), shingles_.end());
    shingles_.erase(std::unique(shingles_.begin(), shingles_.end()), shingles_.end());
    return shingles_;
}

double jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b, double at_least) {
    if (a.empty() || b.empty()) return 0;
    const auto total = static_cast<double>(a.size() + b.size());
    // J >= t needs |A and B| >= t/(1+t) * (|A| + |B|), so at most this many elements stand alone.
    const double max_alone = total - 2 * at_least / (1 + at_least) * total + 1e-6;
    size_t i = 0, j = 0, common = 0;
    while (i < a.size() && j < b.size()) {
        // In blocks, so that the check of the early exit costs nothing.
        for (int step = 0; step < 64 && i < a.size() && j < b.size(); ++step) {
            const uint64_t x = a[i], y = b[j];
            common += x == y ? 1 : 0;
            i += x <= y ? 1 : 0;
            j += y <= x ? 1 : 0;
        }
        if (static_cast<double>(i + j - 2 * common) > max_alone) return 0;
    }
    return static_cast<double>(common) / (total - static_cast<double>(common));
}

}  // namespace longhaul::dedup
