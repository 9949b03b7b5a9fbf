// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Remembers the ids of pieces: real text repeats a small set of words. Bounded memory: what is full
// grows up to its share of the budget; then new pieces take the places of others, which never
// changes results.

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/token/page_block.h"

namespace longhaul::token {

namespace detail {

__extension__ using Wide = unsigned __int128;
inline uint64_t fold_product(uint64_t a, uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// A piece of 1 to kMaxBytes bytes packed with its length, so that equal keys are equal pieces.
template <size_t kWords>
struct PieceKey {
    static constexpr size_t kBytes = kWords * 8;
    static constexpr size_t kMaxBytes = kBytes - 1;
    std::array<uint64_t, kWords> words;

    bool operator==(const PieceKey& other) const {
        uint64_t differences = 0;  // not word after word: branches on them can not be foretold
        for (size_t i = 0; i < kWords; ++i) differences |= words[i] ^ other.words[i];
        return differences == 0;
    }
    bool is_empty() const { return words[kWords - 1] == 0; }
    size_t length() const { return words[kWords - 1] >> 56 & 0x7F; }
    bool is_part() const { return words[kWords - 1] >> 63 != 0; }

    /// @param readable bytes from piece.data() on that may be read @param is_part of a piece: its
    /// ids may differ from those of a piece of the same bytes
    static PieceKey make(std::string_view piece, size_t readable, bool is_part = false) {
        const size_t length = piece.size() & kMaxBytes;  // for the compiler, which sees no bound
        PieceKey key;
        if (readable >= kBytes) {
            std::memcpy(key.words.data(), piece.data(), kBytes);
            for (size_t i = 0; i < kWords; ++i) key.words[i] &= kMasks[length][i];
        } else {
            key.words = {};
            std::memcpy(key.words.data(), piece.data(), piece.size());
        }
        key.words[kWords - 1] |= (uint64_t{piece.size()} | uint64_t{is_part} << 7) << 56;
        return key;
    }
    uint64_t hash() const {
        uint64_t hash = 0;
        for (size_t i = 0; i < kWords; i += 2) {
            hash ^= fold_product(words[i] ^ (0x9E3779B97F4A7C15ull + i),
                                 words[i + 1] ^ (0xC2B2AE3D27D4EB4Full - i));
        }
        return hash;
    }

 private:
    // kMasks[length]: the bytes of a piece of that length.
    static constexpr std::array<std::array<uint64_t, kWords>, kBytes> kMasks = [] {
        std::array<std::array<uint64_t, kWords>, kBytes> masks{};
        for (size_t length = 0; length < kBytes; ++length) {
            for (size_t byte = 0; byte < length; ++byte) {
                masks[length][byte / 8] |= uint64_t{0xFF} << (byte % 8 * 8);
            }
        }
        return masks;
    }();
};

}  // namespace detail

/// Hash table of the pieces of one size class. Open addressing over lines of the CPU's cache.
template <size_t kWords>
class PieceTable {
 public:
    using Key = detail::PieceKey<kWords>;
    static constexpr size_t kInline = kWords * 2;  // ids in an entry
    static constexpr uint32_t kElsewhere = 0xFF;   // count: more than that
    /// The count lies in the top byte of the last id (ids have 24 bits). kElsewhere: ids[0] is the
    /// place of the ids in the overflow and ids[1] their number.
    struct alignas(kWords * 16) Entry {
        Key key;
        std::array<uint32_t, kInline> ids;
        uint32_t count() const { return ids[kInline - 1] >> 24; }
    };

    /// The first lines and the first thousand ids are always there.
    PieceTable(size_t max_bytes, size_t max_overflow_bytes);

    /// Where probing begins.
    Entry* line(uint64_t hash) { return entries() + (hash & mask_) * kPerLine; }
    void prefetch(uint64_t hash) { __builtin_prefetch(line(hash)); }
    /// The entry of a key, or the one that it is to take: an empty one, or one that others can do
    /// without.
    Entry* find(const Key& key, uint64_t hash) {
        for (size_t number = hash, end = hash + most_lines_; number != end; ++number) {
            Entry* entry = entries() + (number & mask_) * kPerLine;
            for (size_t i = 0; i < kPerLine; ++i, ++entry) {
                if (entry->key == key || entry->key.is_empty()) return entry;
            }
        }
        return line(hash) + num_evictions_ % kPerLine;
    }
    /// Stores the ids of a key that find() did not know; `slot` is what find() returned.
    void store(Entry* slot, const Key& key, uint64_t hash, std::span<const uint32_t> ids);
    /// Copies the ids of an entry, and up to kCopied in all. @return the end of the ids
    uint32_t* copy_ids(const Entry& entry, uint32_t* out) const {
        const uint32_t number = entry.count();
        if (number != kElsewhere) [[likely]] {
            std::memcpy(out, entry.ids.data(), sizeof entry.ids);
            out[kInline - 1] &= 0xFFFFFF;
            return out + number;
        }
        std::memcpy(out, overflow_.data() + entry.ids[0], kCopied * sizeof(uint32_t));
        return out + entry.ids[1];
    }
    static constexpr size_t kCopied = kWords * 8;  // a key has no more bytes

    /// Pieces that took the place of another one, and times when all were forgotten.
    uint64_t num_evictions() const { return num_evictions_; }
    uint64_t num_wipes() const { return num_wipes_; }
    size_t memory_bytes() const { return pages_.size() + overflow_.capacity() * sizeof(uint32_t); }

 private:
    static constexpr size_t kLineBytes = 64;
    static constexpr size_t kPerLine = kLineBytes / sizeof(Entry);
    static constexpr size_t kFirstLines = 1024;
    // Lines to look through for a key: of a full table few, since newer entries are in the first.
    static constexpr size_t kMostLines = 32, kMostLinesFull = 2;
    Entry* entries() { return static_cast<Entry*>(pages_.data()); }
    bool can_grow() const { return pages_.size() * 2 <= max_bytes_; }
    bool is_full() const { return size_ * 8 > (mask_ + 1) * kPerLine * 5; }
    size_t padding() const { return overflow_.empty() ? 0 : kCopied; }
    Entry* make_room(Entry* slot, const Key& key, uint64_t hash, size_t num_elsewhere);
    void grow();
    void wipe();

    PageBlock pages_;
    size_t mask_ = 0;  // lines - 1
    size_t size_ = 0, max_bytes_, max_overflow_, most_lines_ = kMostLines;
    std::vector<uint32_t> overflow_;
    uint64_t num_wipes_ = 0, num_evictions_ = 0;
};

extern template class PieceTable<2>;
extern template class PieceTable<4>;

/// The pieces that are too long for a key in an entry, such as rulers and indentation.
class TextTable {
 public:
    static constexpr size_t kMaxBytes = 512;
    explicit TextTable(size_t max_bytes);
    /// The ids of a piece, or nothing. @param hash of its bytes
    std::optional<std::span<const uint32_t>> find(std::string_view piece, uint64_t hash) const;
    /// Stores a piece that find() did not know.
    void store(std::string_view piece, uint64_t hash, std::span<const uint32_t> ids);

 private:
    struct Entry {
        uint64_t hash = 0;
        uint32_t text = 0, length = 0;  // bytes_[text, text + length); length 0: empty
        uint32_t first = 0, count = 0;  // ids_[first, first + count)
    };
    size_t slot_of(std::string_view piece, uint64_t hash) const;

    std::vector<Entry> entries_;
    std::vector<char> bytes_;
    std::vector<uint32_t> ids_;
    size_t size_ = 0, max_bytes_;
};

/// Cache of pieces. One per thread.
class PieceCache {
 public:
    using Short = PieceTable<2>;  // up to 15 bytes
    using Long = PieceTable<4>;   // up to 31 bytes
    // Tables have powers of two lines, so these shares are what is used: five eighths in all, and a
    // half more of a table while it grows. Few short pieces are more than four tokens.
    explicit PieceCache(size_t max_bytes)
        : shorts(max_bytes / 32 * 8, max_bytes / 32),
          longs(max_bytes / 32 * 8, max_bytes / 32),
          texts(max_bytes / 32 * 2) {}
    Short shorts;
    Long longs;
    TextTable texts;
};

}  // namespace longhaul::token
