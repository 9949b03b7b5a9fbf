// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds the longest token that begins a text. A double array in blocks, built depth first, so that
// the tokens of a language fill few lines of the cache; quicker to build than PrefixTrie, which
// finds all tokens that begin a text. Source of the blocks: S. Yata, darts-clone.

#include <cstddef>
#include <cstdint>
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
        Node node = nodes_[start_of(text)];
        uint32_t best = node.number() == kNone ? first : node.number();
        for (size_t i = 2; i < text.size(); ++i) {
            const auto label = static_cast<uint8_t>(text[i]);
            node = nodes_[node.base ^ label];
            if (node.label() != label) break;
            best = node.number() == kNone ? best : node.number();
        }
        return best;
    }

 private:
    // Places: first the nodes of two bytes, by these; then blocks of those of more. No child is in
    // the first block, to which a node without children refers.
    static constexpr uint32_t kBlock = 256, kNowhere = 65536;
    /// A place that is free looks like a node that means nothing, so that nobody need ask.
    struct Node {
        uint32_t base = kNowhere;  // the child of byte b is at base ^ b, if that has the label b
        uint32_t state = kNone;    // the number of its token, and above it its label
        uint32_t number() const { return state & kNone; }
        uint32_t label() const { return state >> 24; }
    };
    class Builder;

    static uint32_t start_of(std::string_view text) {
        return uint32_t{static_cast<uint8_t>(text[0])} << 8 | static_cast<uint8_t>(text[1]);
    }

    std::vector<Node> nodes_;
};

}  // namespace longhaul::token
