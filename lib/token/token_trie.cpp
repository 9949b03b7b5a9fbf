// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/token_trie.h"

#include <algorithm>
#include <bit>

#include "lib/base/check.h"
#include "lib/token/digit_sort.h"

namespace longhaul::token {

struct TokenTrie::Open {
    size_t begin, end;  // of tokens_: those that go through the node
    size_t depth;
    uint32_t shorter;  // the longest token above
    Node* node;
};

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

TokenTrie::TokenTrie(std::vector<Token> tokens, std::span<uint32_t> shorter)
    : tokens_(std::move(tokens)), starts_(65536), nodes_(1), labels_(1) {
    static_assert(std::endian::native == std::endian::little);
    sort_by_bytes(tokens_);
    size_t num_nodes = 1;
    for (const Token& token : tokens_) num_nodes += token.first.size() - 2;
    nodes_.reserve(num_nodes);  // at least: Open points into it
    std::vector<Open> stack;
    for (size_t begin = 0; begin < tokens_.size();) {
        const std::string_view bytes = tokens_[begin].first;
        const size_t start = index_of(bytes);
        size_t end = begin;
        while (end < tokens_.size() && index_of(tokens_[end].first) == start) ++end;
        stack.push_back({begin, end, 2, static_cast<uint8_t>(bytes[0]), &starts_[start]});
        while (!stack.empty()) {
            const Open open = stack.back();
            stack.pop_back();
            add_children(open, stack, shorter);
        }
        begin = end;
    }
    labels_.resize(labels_.size() + kAtOnce);
    nodes_.shrink_to_fit();
    tokens_ = {};
}

void TokenTrie::add_children(const Open& open, std::vector<Open>& stack,
                             std::span<uint32_t> shorter) {
    size_t begin = open.begin;
    uint32_t longest = open.shorter;
    if (tokens_[begin].first.size() == open.depth) {
        const uint32_t number = tokens_[begin++].second;
        open.node->state = number;
        shorter[number] = longest;
        longest = number;
    }
    if (begin == open.end) return;
    const auto first = static_cast<uint32_t>(nodes_.size());
    const size_t stack_begin = stack.size();
    while (begin < open.end) {
        const char label = tokens_[begin].first[open.depth];
        size_t end = begin + 1;
        while (end < open.end && tokens_[end].first[open.depth] == label) ++end;
        LH_CHECK(nodes_.size() < nodes_.capacity(), "{} nodes", nodes_.size());
        nodes_.emplace_back();
        labels_.push_back(static_cast<uint8_t>(label));
        stack.push_back({begin, end, open.depth + 1, longest, &nodes_.back()});
        begin = end;
    }
    open.node->first = first;
    open.node->state |= static_cast<uint32_t>(nodes_.size() - 1 - first) << 24;
    std::reverse(stack.begin() + static_cast<ptrdiff_t>(stack_begin), stack.end());
}

}  // namespace longhaul::token
