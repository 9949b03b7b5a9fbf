// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Remembers the ids of short pieces: real text repeats a small set of words. Bounded memory: when
// the table is full it is wiped, which never changes results.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace longhaul::token {

/// Cache of pieces of at most kMaxPieceBytes. One per thread.
class WordCache {
 public:
    static constexpr size_t kMaxPieceBytes = 15;

    /// A piece packed with its length, so that equal keys are equal pieces.
    struct Key {
        uint64_t low = 0, high = 0;
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key;  // all zero: empty (the empty piece is never looked up)
        uint32_t count = 0;
        uint32_t ids[3] = {};  // more than 3: ids[0] is the offset in the overflow
    };

    /// @param max_bytes of table and overflow together; rounded down to a power of two of entries.
    explicit WordCache(size_t max_bytes);

    /// @param piece 1 to kMaxPieceBytes bytes. @param is_readable_past the 16 bytes from its start
    ///        may be read although the piece is shorter.
    static Key make_key(std::string_view piece, bool is_readable_past) {
        Key key;
        if (is_readable_past) {
            std::memcpy(&key, piece.data(), sizeof(key));
            const size_t bits = piece.size() * 8;
            key.low &= bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
            key.high &= bits <= 64 ? 0 : (uint64_t{1} << (bits - 64)) - 1;
        } else {
            std::memcpy(&key, piece.data(), piece.size());
        }
        key.high |= static_cast<uint64_t>(piece.size()) << 56;
        return key;
    }

    /// The entry of a key, or the empty slot where it belongs.
    Entry* find(const Key& key) {
        for (size_t slot = hash(key) & mask_;; slot = (slot + 1) & mask_) {
            Entry& entry = entries_[slot];
            if (entry.key == key || entry.key == Key{}) return &entry;
        }
    }
    std::span<const uint32_t> ids(const Entry& entry) const {
        if (entry.count <= 3) return {entry.ids, entry.count};
        return {overflow_.data() + entry.ids[0], entry.count};
    }
    /// Stores the ids of a key that find() did not know; `slot` is what find() returned.
    void store(Entry* slot, const Key& key, std::span<const uint32_t> ids);

    uint64_t num_wipes() const { return num_wipes_; }

 private:
    __extension__ using Wide = unsigned __int128;
    static size_t hash(const Key& key) {
        const auto product =
            static_cast<Wide>(key.low ^ 0x9E3779B97F4A7C15ull) * (key.high ^ 0xC2B2AE3D27D4EB4Full);
        return static_cast<size_t>(static_cast<uint64_t>(product) ^
                                   static_cast<uint64_t>(product >> 64));
    }
    void wipe();

    std::vector<Entry> entries_;
    std::vector<uint32_t> overflow_;
    size_t mask_, max_entries_, max_overflow_, size_ = 0;
    uint64_t num_wipes_ = 0;
};

}  // namespace longhaul::token
