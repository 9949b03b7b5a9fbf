// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tokens of a vocabulary as bytes, by id and back.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace longhaul::token {

inline constexpr uint32_t kNoToken = ~uint32_t{0};
/// Largest id accepted: keeps ids exact in float32 and tables small.
inline constexpr uint32_t kMaxTokenId = (1u << 24) - 1;

/// Bytes of every id; ids may have holes. find() knows only the tokens added as findable: those
/// that text can turn into, not control tokens.
class Vocabulary {
 public:
    /// Adds a token. @return the id that already has these findable bytes, or kNoToken when added.
    uint32_t add(uint32_t id, std::string_view bytes, bool findable);
    bool contains(uint32_t id) const { return id < entries_.size() && entries_[id].is_used; }
    /// The token's bytes; empty for a hole. @param id any value.
    std::string_view bytes(uint32_t id) const {
        if (id >= entries_.size()) return {};
        return {arena_.data() + entries_[id].offset, entries_[id].length};
    }
    /// Id of exactly these bytes, or kNoToken.
    uint32_t find(std::string_view bytes) const;
    /// One more than the largest id.
    uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
    uint32_t num_used() const { return num_used_; }
    uint32_t longest_token_bytes() const { return longest_; }

 private:
    struct Entry {
        uint64_t offset = 0;
        uint32_t length = 0;
        bool is_used = false, is_findable = false;
    };
    void grow_slots();
    size_t slot_of(std::string_view bytes) const;

    std::vector<char> arena_;
    std::vector<Entry> entries_;
    std::vector<uint32_t> slots_;  // open addressing: id or kNoToken
    uint32_t num_findable_ = 0, num_used_ = 0, longest_ = 0;
};

/// What a pair of adjacent tokens merges to.
struct Merge {
    uint32_t rank = kNoToken;  // lower merges first; kNoToken: no merge
    uint32_t id = kNoToken;
};

/// Pair of ids -> merge, a flat hash table.
class MergeTable {
 public:
    explicit MergeTable(size_t expected = 0);
    /// Adds or replaces (the last of two equal merges wins, as in HF tokenizers).
    void set(uint32_t left, uint32_t right, Merge merge);
    Merge find(uint32_t left, uint32_t right) const {
        const uint64_t key = uint64_t{left} << 32 | right;
        for (size_t slot = hash(key) & mask_;; slot = (slot + 1) & mask_) {
            if (slots_[slot].key == key) return slots_[slot].merge;
            if (slots_[slot].key == kEmpty) return {};
        }
    }
    size_t size() const { return size_; }
    /// Calls visit(left, right, merge) for every pair, in no particular order.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Slot& slot : slots_) {
            if (slot.key == kEmpty) continue;
            visit(static_cast<uint32_t>(slot.key >> 32), static_cast<uint32_t>(slot.key),
                  slot.merge);
        }
    }

 private:
    static constexpr uint64_t kEmpty = ~uint64_t{0};
    struct Slot {
        uint64_t key = kEmpty;
        Merge merge;
    };
    static size_t hash(uint64_t key) {
        key *= 0x9E3779B97F4A7C15ull;
        return static_cast<size_t>(key ^ key >> 32);
    }
    void resize(size_t num_slots);

    std::vector<Slot> slots_;
    size_t mask_ = 0, size_ = 0;
};

}  // namespace longhaul::token
