// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds the longest token that begins a text. What goes on from a node lies side by side, so that
// the tokens of a language fill few lines of the cache; quick to build. (PrefixTrie, which takes
// long to build, finds all tokens that begin a text.)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace longhaul::token {

/// Immutable after construction. Every single byte is a token, whose number it is.
class TokenTrie {
 public:
    static constexpr uint32_t kNone = (1u << 24) - 1;  // numbers are below
    using Token = std::pair<std::string_view, uint32_t>;

    TokenTrie() = default;  // to be assigned to
    /// @param tokens of two bytes or more, no two equal @param[out] shorter by number: the longest
    /// token that is a proper prefix
    TokenTrie(std::vector<Token> tokens, std::span<uint32_t> shorter);

    /// The number of the longest token that begins `text`, which is not empty.
    uint32_t longest(std::string_view text) const {
        const auto first = static_cast<uint8_t>(text[0]);
        if (text.size() == 1) return first;
        Node node = starts_[index_of(text)];
        uint32_t best = node.number() == kNone ? first : node.number();
        for (size_t i = 2; i < text.size() && node.first != 0; ++i) {
            const uint32_t place = find(node, static_cast<uint8_t>(text[i]));
            if (place == 0) break;
            node = nodes_[place];
            best = node.number() == kNone ? best : node.number();
        }
        return best;
    }

 private:
    struct Node {
        uint32_t first = 0;      // of its children, which lie side by side; 0: none
        uint32_t state = kNone;  // the number of its token, and above it the last child - first
        uint32_t number() const { return state & kNone; }
        uint32_t last() const { return state >> 24; }
    };
    struct Open;  // a node whose children are to be made
    void add_children(const Open& open, std::vector<Open>& stack, std::span<uint32_t> shorter);

    static size_t index_of(std::string_view text) {
        return static_cast<size_t>(static_cast<uint8_t>(text[0])) << 8 |
               static_cast<uint8_t>(text[1]);
    }
    /// The place of a child, or 0.
    uint32_t find(Node node, uint8_t label) const {
        constexpr uint64_t kOnes = 0x0101010101010101ull;
        for (uint32_t i = 0; i <= node.last(); i += kAtOnce) {
            uint64_t labels = 0;
            std::memcpy(&labels, labels_.data() + node.first + i, kAtOnce);
            labels ^= kOnes * label;
            // The lowest byte that is 0 has the lowest of these bits.
            const uint64_t zeros = (labels - kOnes) & ~labels & (kOnes << 7);
            if (zeros == 0) continue;
            i += static_cast<uint32_t>(__builtin_ctzll(zeros)) / 8;
            return i <= node.last() ? node.first + i : 0;
        }
        return 0;
    }
    static constexpr uint32_t kAtOnce = 8;

    std::vector<Token> tokens_;    // sorted; while building
    std::vector<Node> starts_;     // of two bytes
    std::vector<Node> nodes_;      // of more; the first is none
    std::vector<uint8_t> labels_;  // the byte that leads to each, and kAtOnce more
};

}  // namespace longhaul::token
