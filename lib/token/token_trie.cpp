// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/token_trie.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lib/token/digit_sort.h"

namespace longhaul::token {

namespace {

void sort_by_bytes(std::vector<TokenTrie::Token>& tokens) {
    struct Item {
        uint64_t begin;  // the first bytes, as a number in their order
        TokenTrie::Token token;
    };
    std::vector<Item> items;
    items.reserve(tokens.size());
    for (const TokenTrie::Token& token : tokens) {
        uint64_t begin = 0;
        std::memcpy(&begin, token.first.data(), std::min<size_t>(8, token.first.size()));
        items.push_back({__builtin_bswap64(begin), token});
    }
    sort_by_digits(items, 64, [](const Item& item) { return item.begin; });
    for (auto from = items.begin(); from != items.end();) {
        const auto to = std::find_if(from + 1, items.end(),
                                     [&](const Item& item) { return item.begin != from->begin; });
        if (to - from > 1) {
            std::sort(from, to, [](const Item& a, const Item& b) { return a.token < b.token; });
        }
        from = to;
    }
    std::transform(items.begin(), items.end(), tokens.begin(),
                   [](const Item& item) { return item.token; });
}

}  // namespace

/// Places nodes depth first, each beside what was placed just before where it fits.
class TokenTrie::Builder {
 public:
    Builder(const std::vector<Token>& tokens, std::vector<Node>& nodes, std::span<uint32_t> shorter)
        : tokens_(tokens), nodes_(nodes), shorter_(shorter), blocks_(1) {
        nodes_.resize(kNowhere + kBlock);
    }

    void run() {
        for (size_t begin = 0, end = 0; begin < tokens_.size(); begin = end) {
            const uint32_t start = start_of(tokens_[begin].first);
            while (end < tokens_.size() && start_of(tokens_[end].first) == start) ++end;
            open_.push_back({begin, end, 2, static_cast<uint8_t>(tokens_[begin].first[0]), start});
            while (!open_.empty()) {
                const Open open = open_.back();
                open_.pop_back();
                finish(open);
            }
        }
    }

 private:
    static constexpr size_t kWindow = 8;      // blocks that are looked at for room
    static constexpr unsigned kMaxTries = 8;  // bases that are tried in each

    /// A node whose children are to be placed.
    struct Open {
        size_t begin, end;  // of tokens_: those that go through the node
        size_t depth;
        uint32_t shorter;  // the longest token above
        uint32_t place;
    };
    /// A set of the numbers below kBlock.
    struct Set {
        std::array<uint64_t, kBlock / 64> words{};
        bool has(uint32_t number) const { return (words[number / 64] >> number % 64 & 1) != 0; }
        void add(uint32_t number) { words[number / 64] |= uint64_t{1} << number % 64; }
    };
    struct Block {
        Set is_taken, is_base;  // one base for a node, or children would be mixed up
    };

    void finish(const Open& open) {
        size_t begin = open.begin;
        uint32_t longest = open.shorter;
        if (tokens_[begin].first.size() == open.depth) {
            const uint32_t number = tokens_[begin++].second;
            nodes_[open.place].state = (nodes_[open.place].state & ~kNone) | number;
            shorter_[number] = longest;
            longest = number;
        }
        if (begin == open.end) return;
        const size_t first_child = open_.size();
        labels_.clear();
        while (begin < open.end) {
            const auto label = static_cast<uint8_t>(tokens_[begin].first[open.depth]);
            size_t end = begin + 1;
            while (end < open.end &&
                   static_cast<uint8_t>(tokens_[end].first[open.depth]) == label) {
                ++end;
            }
            labels_.push_back(label);
            open_.push_back({begin, end, open.depth + 1, longest, 0});
            begin = end;
        }
        const uint32_t base = find_base();
        nodes_[open.place].base = base;
        for (size_t i = 0; i < labels_.size(); ++i) {
            open_[first_child + i].place = base ^ labels_[i];
            nodes_[base ^ labels_[i]].state = uint32_t{labels_[i]} << 24 | kNone;
        }
    }

    /// Takes places for the children `labels_`.
    uint32_t find_base() {
        for (size_t i = blocks_.size() - std::min(kWindow, blocks_.size() - 1);; ++i) {
            if (i == blocks_.size()) {
                blocks_.emplace_back();
                nodes_.resize(nodes_.size() + kBlock);
            }
            Block& block = blocks_[i];
            const uint32_t base = find_base(block);
            if (base == kBlock) continue;
            block.is_base.add(base);
            for (const uint8_t label : labels_) block.is_taken.add(base ^ label);
            return kNowhere + static_cast<uint32_t>(i) * kBlock + base;
        }
    }
    /// kBlock if there is none, or not soon.
    uint32_t find_base(const Block& block) const {
        unsigned tries = 0;
        for (uint32_t word = 0; word < kBlock / 64; ++word) {
            for (uint64_t free = ~block.is_taken.words[word]; free != 0; free &= free - 1) {
                const auto place = word * 64 + static_cast<uint32_t>(std::countr_zero(free));
                const uint32_t base = place ^ labels_[0];
                const bool fits = !block.is_base.has(base) &&
                                  std::none_of(labels_.begin(), labels_.end(), [&](uint8_t label) {
                                      return block.is_taken.has(base ^ label);
                                  });
                if (fits) return base;
                if (++tries == kMaxTries) return kBlock;
            }
        }
        return kBlock;
    }

    const std::vector<Token>& tokens_;
    std::vector<Node>& nodes_;
    std::span<uint32_t> shorter_;
    std::vector<Block> blocks_;  // from kNowhere on
    std::vector<Open> open_;
    std::vector<uint8_t> labels_;
};

TokenTrie::TokenTrie(std::vector<Token> tokens, std::span<uint32_t> shorter) {
    static_assert(std::endian::native == std::endian::little);
    sort_by_bytes(tokens);
    Builder(tokens, nodes_, shorter).run();
}

}  // namespace longhaul::token
