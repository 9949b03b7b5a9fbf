// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pieces to ids: by the cache where they are known, else by the model.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/token/model.h"
#include "lib/token/piece_cache.h"

namespace longhaul::token {

/// One per thread: it owns a cache.
class PieceEncoder {
 public:
    PieceEncoder(const Model& model, size_t cache_bytes);

    /// Appends the ids of one piece. @param piece not empty @param readable bytes from its begin
    /// that may be read
    void encode(std::string_view piece, size_t readable, std::vector<uint32_t>& ids);
    /// Appends the ids of the pieces that `ends` gives, all from `begin` on.
    void encode(std::string_view text, size_t begin, const uint32_t* ends, size_t count,
                std::vector<uint32_t>& ids);

 private:
    static constexpr size_t kBatch = 128;
    using ShortKey = PieceCache::Short::Key;
    using LongKey = PieceCache::Long::Key;
    // Ids before they go to the caller; each entry of the cache is copied whole.
    static constexpr size_t kMostInline = PieceCache::Long::kInline;
    static constexpr size_t kMostIds = LongKey::kMaxBytes + 1;

    /// A piece of a batch, prepared: the memory of its entry is on its way.
    struct Probe {
        ShortKey key;   // empty for longer pieces
        uint64_t hash;  // of the short or long key
        uint32_t begin, length;
    };
    size_t prepare(std::string_view text, size_t begin, const uint32_t* ends, size_t count);
    void encode_batch(std::string_view text, size_t count, std::vector<uint32_t>& ids);
    template <class Table>
    uint32_t* look_up(Table& table, const typename Table::Key& key, uint64_t hash,
                      std::string_view piece, uint32_t* out);
    uint32_t* put(std::span<const uint32_t> ids, uint32_t* out);
    void encode_long(std::string_view piece, std::vector<uint32_t>& ids);

    const Model& model_;
    const bool cuts_pieces_;
    PieceCache cache_;
    std::vector<uint32_t> missed_;  // scratch
    std::array<Probe, kBatch> probes_;
    std::array<uint32_t, kBatch * kMostInline + kMostIds> room_;
};

}  // namespace longhaul::token
