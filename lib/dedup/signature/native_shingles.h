// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shingles of the native scheme: sums of word hashes times odd factors, mixed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace longhaul::dedup {

/// One per thread: keeps its buffer. A word's hash and a shingle's value are part of the scheme.
class NativeShingles {
 public:
    /// @param ngram words of a shingle, at least 1
    explicit NativeShingles(size_t ngram);

    /// 64-bit hashes of all shingles in order, repeats included; none when there are fewer words.
    /// @param normalized as text::TextNormalizer returned it. @return valid until the next call
    std::span<uint64_t> of(std::string_view normalized);

 private:
    size_t hash_words(std::string_view normalized);

    std::vector<uint64_t> factors_;
    std::unique_ptr<uint64_t[]> hashes_;  // of words, then of shingles
    size_t capacity_ = 0;
};

}  // namespace longhaul::dedup
