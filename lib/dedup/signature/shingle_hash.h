// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The 64-bit hashes of shingles, given as bytes. Whatever a scheme's own base hash is, 64 bits are
// kept, so that sets of shingles are compared without collisions; MinHasher takes its part.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/dedup/signature/parameters.h"

namespace longhaul::dedup {

/// Bytes that must be readable behind every shingle.
inline constexpr size_t kShinglePadding = 16;

/// Hashes shingles in batches. Not thread-safe.
class ShingleHasher {
 public:
    explicit ShingleHasher(Scheme scheme);

    /// @param shingle must stay until finish(); kShinglePadding readable bytes behind it
    void add(std::string_view shingle, std::vector<uint64_t>& hashes) {
        batch_[size_++] = shingle;
        if (size_ == batch_.size()) finish(hashes);
    }
    /// Appends what is still waiting.
    void finish(std::vector<uint64_t>& hashes);

 private:
    static constexpr size_t kBatch = 64;

    Scheme scheme_;
    uint32_t murmur_seed_ = 0;
    size_t size_ = 0;
    std::array<std::string_view, kBatch> batch_;
};

/// MurmurHash3_x86_32. @source Austin Appleby, smhasher, MurmurHash3.cpp (public domain)
uint32_t murmur3_32(std::string_view bytes, uint32_t seed);

}  // namespace longhaul::dedup
