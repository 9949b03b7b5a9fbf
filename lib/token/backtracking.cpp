// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/backtracking.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/token/bpe.h"
#include "lib/token/digit_sort.h"

namespace longhaul::token {

namespace {

constexpr size_t kFewBytes = 64;  // encoded without allocating

using Merging = Backtracking::Merging;
using Single = Backtracking::Single;

/// The merges in the order of their ranks, if these have 24 bits.
std::vector<Merging> merges_in_order(const MergeTable& table) {
    std::vector<Merging> merges;
    merges.reserve(table.size());
    table.for_each([&](uint32_t left, uint32_t right, Merge merge) {
        merges.push_back({merge.rank, left, right, merge.id});
    });
    sort_by_digits(merges, 24, [](const Merging& merge) { return uint64_t{merge.rank}; });
    return merges;
}

/// Borders that no encoding has, and chosen tokens, of a piece of kFewBytes at most...
struct FewBorders {
    uint64_t bits = 0;
    // What is at the end of the piece is never closed.
    bool has(size_t border) const { return (bits >> (border % kFewBytes) & 1) != 0; }
    void add(size_t border) { bits |= uint64_t{1} << border; }
};
struct FewTokens {
    std::array<uint32_t, kFewBytes> tokens;
    size_t count = 0;
    bool empty() const { return count == 0; }
    uint32_t back() const { return tokens[count - 1]; }
    void push_back(uint32_t token) { tokens[count++] = token; }
    void pop_back() { --count; }
    const uint32_t* begin() const { return tokens.data(); }
    const uint32_t* end() const { return tokens.data() + count; }
};
/// ... and of a longer one.
struct ManyBorders {
    std::vector<bool> bits;
    bool has(size_t border) const { return bits[border]; }
    void add(size_t border) { bits[border] = true; }
};

/// The bytes that are tokens.
std::vector<Single> single_bytes(const Bpe& bpe) {
    static constexpr auto kBytes = [] {
        std::array<char, 256> bytes{};
        for (unsigned byte = 0; byte < 256; ++byte) bytes[byte] = static_cast<char>(byte);
        return bytes;
    }();
    std::vector<Single> singles;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const uint32_t id = bpe.byte_token(static_cast<uint8_t>(byte));
        if (id != kNoToken) singles.push_back({{&kBytes[byte], 1}, id});
    }
    return singles;
}

/// Whether one merge comes before another in time, whatever the text.
bool are_ordered(const Merging& a, const Merging& b) {
    return a.rank < b.rank || (a.rank == b.rank && a.id == b.id);
}

}  // namespace

Backtracking::Backtracking(const Bpe& bpe)
    : Backtracking(bpe.vocabulary(), single_bytes(bpe), merges_in_order(bpe.merges())) {}

Backtracking::Backtracking(const Vocabulary& vocabulary, std::span<const Single> singles,
                           std::span<const Merging> merges)
    : pairs_(std::min<size_t>(merges.size(), vocabulary.size())) {
    is_possible_ = vocabulary.size() + singles.size() + 256 < PairTable::kMost;
    for (size_t i = 1; i < merges.size(); ++i) {
        is_possible_ = is_possible_ && are_ordered(merges[i - 1], merges[i]);
    }
    if (!is_possible_) return;
    std::vector<uint32_t> numbers(vocabulary.size() + singles.size(), kNoToken);  // of symbols
    number_singles(singles, numbers);
    number_tokens(vocabulary, merges, numbers);
    if (is_possible_) build_trie(vocabulary, singles);
}

void Backtracking::number_singles(std::span<const Single> singles, std::span<uint32_t> numbers) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        tokens_.push_back({kNoToken, 1, kNoToken});
        pairs_.add_single();
    }
    for (const auto& [text, symbol] : singles) {
        if (text.size() == 1) {
            numbers[symbol] = static_cast<uint8_t>(text[0]);
            tokens_[numbers[symbol]].symbol = symbol;
        } else {
            numbers[symbol] = pairs_.size();
            tokens_.push_back({symbol, static_cast<uint32_t>(text.size()), kNoToken});
            pairs_.add_single();
        }
    }
}

void Backtracking::number_tokens(const Vocabulary& vocabulary, std::span<const Merging> merges,
                                 std::span<uint32_t> numbers) {
    std::vector<Merging> without_parts;
    for (const Merging& merge : merges) {
        const uint32_t left = numbers[merge.left], right = numbers[merge.right];
        if (left == kNoToken || right == kNoToken) {
            without_parts.push_back(merge);
            continue;
        }
        // A merge makes the token if none before it joins the two, and it is the first to do so.
        if (numbers[merge.id] != kNoToken || !is_valid_pair(left, right)) continue;
        const uint32_t length = tokens_[left].length + tokens_[right].length;
        is_possible_ = is_possible_ && vocabulary.bytes(merge.id).size() == length;
        numbers[merge.id] = pairs_.size();
        tokens_.push_back({merge.id, length, kNoToken});
        pairs_.add(left, right);
    }
    // The parts must have been made before: then the numbers order the merges in time.
    const auto is_late = [&](const Merging& merge) {
        return numbers[merge.id] == kNoToken && numbers[merge.left] != kNoToken &&
               numbers[merge.right] != kNoToken;
    };
    is_possible_ =
        is_possible_ && std::none_of(without_parts.begin(), without_parts.end(), is_late);
}

void Backtracking::build_trie(const Vocabulary& vocabulary, std::span<const Single> singles) {
    std::vector<TokenTrie::Token> tokens;
    tokens.reserve(tokens_.size());
    uint32_t number = 256;
    for (const Single& single : singles) {
        if (single.text.size() > 1) tokens.emplace_back(single.text, number++);
    }
    for (; number < tokens_.size(); ++number) {
        tokens.emplace_back(vocabulary.bytes(tokens_[number].symbol), number);
    }
    std::vector<uint32_t> shorter(tokens_.size());
    trie_ = TokenTrie(std::move(tokens), shorter);
    for (uint32_t token = 256; token < tokens_.size(); ++token) {
        // The first byte of a character is no token.
        const bool is_single = tokens_[shorter[token]].symbol != kNoToken;
        tokens_[token].shorter = is_single ? shorter[token] : kNoToken;
    }
}

bool Backtracking::is_valid_pair(uint32_t left, uint32_t right) const {
    // Undo merges from the latest backwards, looking only at the two tokens that touch the border:
    // a merge across it that came earlier than the undone one would have won.
    uint32_t limit = kNoToken;
    for (;;) {
        if (pairs_.find(left, right) < limit) return false;  // kNoToken is not
        if (left > right) {
            limit = left;
            left = pairs_[left].right;
            if (left == limit) {
                limit = right + 1;
                right = pairs_[right].left;
                if (right + 1 == limit) return true;
            }
        } else {
            limit = right + 1;
            right = pairs_[right].left;
            if (right + 1 == limit) {
                limit = left;
                left = pairs_[left].right;
                if (left == limit) return true;
            }
        }
    }
}

template <class Borders, class Chosen>
void Backtracking::choose(std::string_view piece, Borders& closed, Chosen& chosen) const {
    size_t position = 0;
    uint32_t candidate = trie_.longest(piece);
    while (position < piece.size()) {
        const size_t end = position + tokens_[candidate].length;
        if (!closed.has(end) && (chosen.empty() || is_valid_pair(chosen.back(), candidate))) {
            chosen.push_back(candidate);
            position = end;
            if (position < piece.size()) candidate = trie_.longest(piece.substr(position));
        } else if (tokens_[candidate].shorter != kNoToken) {
            candidate = tokens_[candidate].shorter;
        } else {
            closed.add(position);
            candidate = chosen.back();
            chosen.pop_back();
            position -= tokens_[candidate].length;
        }
    }
}

void Backtracking::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    const auto append = [&](const auto& chosen) {
        for (const uint32_t token : chosen) ids.push_back(tokens_[token].symbol);
    };
    if (piece.size() <= kFewBytes) {
        FewBorders closed;
        FewTokens chosen;
        choose(piece, closed, chosen);
        append(chosen);
    } else {
        ManyBorders closed{std::vector<bool>(piece.size() + 1)};
        std::vector<uint32_t> chosen;
        choose(piece, closed, chosen);
        ids.reserve(ids.size() + chosen.size());
        append(chosen);
    }
}

}  // namespace longhaul::token
