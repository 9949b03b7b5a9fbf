// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pieces to ids: by the cache where they are known, else by the model. Pieces go through in
// batches, so that the memory of many entries of the cache is on its way at a time.

#include <array>
#include <cstdint>
#include <span>
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
    void encode(std::string_view text, size_t begin, std::span<const uint32_t> ends,
                std::vector<uint32_t>& ids);

 private:
    static constexpr size_t kBatch = 128;
    using Short = PieceCache::Short;
    using Long = PieceCache::Long;
    static constexpr size_t kMostInline = Long::kInline;
    static constexpr size_t kMostIds = Long::Key::kMaxBytes + 1;  // of what is remembered by a key

    /// A piece, or a part of one, whose entry is on its way.
    struct Probe {
        // Of short ones. Else key.words = {length * 2 + is_part, 0}, which no key is.
        Short::Key key;
        uint64_t hash;  // of the short or long key
        const char* begin;
        bool is_short() const { return !key.is_empty(); }
        size_t length() const { return is_short() ? key.length() : key.words[0] / 2; }
        bool is_part() const { return is_short() ? key.is_part() : key.words[0] % 2 != 0; }
        std::string_view text() const { return {begin, length()}; }
    };
    void add_longer(std::string_view piece, std::vector<uint32_t>& ids);
    void add_parts(std::string_view piece, std::vector<uint32_t>& ids);
    void make_short(Probe& probe, std::string_view text, size_t readable, bool is_part);
    void make_long(Probe& probe, std::string_view text, size_t readable, bool is_part);
    void flush(std::vector<uint32_t>& ids);
    uint32_t* look_up_short(const Probe& probe, uint32_t* out, std::vector<uint32_t>& ids);
    uint32_t* look_up_long(const Probe& probe, uint32_t* out, std::vector<uint32_t>& ids);
    void encode_text(const Probe& probe, std::vector<uint32_t>& ids);
    template <class Table>
    uint32_t* find_or_make(Table& table, const typename Table::Key& key, const Probe& probe,
                           uint32_t* out, std::vector<uint32_t>& ids);
    void encode_by_model(const Probe& probe, std::vector<uint32_t>& ids) const;

    const Model& model_;
    const bool cuts_pieces_;
    PieceCache cache_;
    const char* readable_end_ = nullptr;  // of the text at hand
    size_t num_probes_ = 0;
    std::array<Probe, kBatch> probes_;
    std::vector<uint32_t> missed_;  // scratch
    // Ids before they go to the caller: entries of the cache are copied whole.
    std::array<uint32_t, kBatch * kMostInline + 2 * kMostIds> room_;
};

}  // namespace longhaul::token
