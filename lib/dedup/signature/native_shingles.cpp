// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/native_shingles.h"

#include <algorithm>
#include <cstring>

#include "lib/base/hash.h"
#include "lib/dedup/signature/weighted_sums.h"
#include "lib/text/normalize.h"

namespace longhaul::dedup {

namespace {

// Constants of the native scheme (digits of pi); changing one makes a new scheme.
constexpr uint64_t kWordKey0 = 0x243F6A8885A308D3;
constexpr uint64_t kWordKey1 = 0x13198A2E03707344;
constexpr uint64_t kFactorKey = 0xA4093822299F31D1;
constexpr uint64_t kFinal = 0x082EFA98EC4E6C89;
constexpr size_t kShortWord = 16;
static_assert(text::TextNormalizer::kPadding >= kShortWord);

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

/// Without a branch on the length of ordinary words, which nobody can predict. Reads up to 8 bytes
/// before and behind the word: the normaliser pads its buffer.
uint64_t word_hash(const char* word, size_t length) {
    if (length > kShortWord) [[unlikely]] {
        return xxh3_64({word, length}, kWordKey0);
    }
    const size_t first_length = std::min<size_t>(length, 8);
    const uint64_t first = load64(word) & (~uint64_t{0} >> (64 - 8 * first_length));
    const uint64_t has_last = length > 8 ? ~uint64_t{0} : 0;
    const uint64_t last = load64(word + length - 8) & has_last;
    return fold_multiply(first ^ kWordKey0, last ^ kWordKey1 ^ length);
}

}  // namespace

NativeShingles::NativeShingles(size_t ngram) {
    for (uint64_t i = 0; i < ngram; ++i) {
        factors_.push_back(fold_multiply(kFactorKey ^ (i + 1), kFinal + 2 * i) | 1);
    }
}

size_t NativeShingles::hash_words(std::string_view normalized) {
    // At most a word every two bytes, or every character of three: mostly not touched. A giant
    // document's buffer is given back when a small one follows.
    constexpr size_t kKept = 1 << 20;
    const size_t wanted = normalized.size() / 2 + 1;
    if (wanted > capacity_ || (capacity_ > kKept && wanted <= kKept)) {
        capacity_ = std::max<size_t>(wanted, 1 << 12);
        hashes_.reset();
        hashes_ = std::make_unique_for_overwrite<uint64_t[]>(capacity_);
    }
    uint64_t* next = hashes_.get();
    text::for_each_word(
        normalized, [&](const char* word, size_t length) { *next++ = word_hash(word, length); });
    return static_cast<size_t>(next - hashes_.get());
}

std::span<uint64_t> NativeShingles::of(std::string_view normalized) {
    const size_t num_words = hash_words(normalized);
    const size_t ngram = factors_.size();
    if (num_words < ngram) return {};
    const size_t count = num_words - ngram + 1;
    // In place: shingle i takes the place of word i, which no later shingle needs.
    uint64_t* const values = hashes_.get();
    weighted_sums(values, count, factors_);
    for (size_t i = 0; i < count; ++i) values[i] = fold_multiply(values[i] ^ kFinal, kWordKey1);
    return {hashes_.get(), count};
}

}  // namespace longhaul::dedup
