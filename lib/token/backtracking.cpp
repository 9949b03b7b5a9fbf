// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/backtracking.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/token/bpe.h"
#include "lib/token/digit_sort.h"

namespace longhaul::token {

struct Backtracking::Merging {
    uint32_t rank, left, right, id;
};

namespace {

constexpr size_t kFewBytes = 64;  // encoded without allocating

/// The merges in the order of their ranks, if these have 24 bits.
template <class Merging>
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

}  // namespace

Backtracking::Backtracking(const Bpe& bpe)
    : pairs_(std::min<size_t>(bpe.merges().size(), bpe.vocabulary().size())) {
    const std::vector<Merging> merges = merges_in_order<Merging>(bpe.merges());
    is_possible_ =
        bpe.vocabulary().size() + 256 < PairTable::kMost &&
        std::is_sorted(merges.begin(), merges.end(),
                       [](const Merging& a, const Merging& b) { return a.rank < b.rank; });
    if (is_possible_) number_tokens(bpe, merges);
    if (is_possible_) build_trie(bpe);
}

void Backtracking::number_tokens(const Bpe& bpe, std::span<const Merging> merges) {
    const Vocabulary& vocabulary = bpe.vocabulary();
    std::vector<uint32_t> numbers(vocabulary.size(), kNoToken);
    for (unsigned byte = 0; byte < 256; ++byte) {
        const uint32_t id = bpe.byte_token(static_cast<uint8_t>(byte));
        if (id != kNoToken) numbers[id] = byte;
        tokens_.push_back({id, 1, kNoToken});
        pairs_.add_single();
    }
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

void Backtracking::build_trie(const Bpe& bpe) {
    std::vector<TokenTrie::Token> tokens;
    tokens.reserve(tokens_.size());
    for (uint32_t token = 256; token < tokens_.size(); ++token) {
        tokens.emplace_back(bpe.vocabulary().bytes(tokens_[token].id), token);
    }
    std::vector<uint32_t> shorter(tokens_.size());
    trie_ = TokenTrie(std::move(tokens), shorter);
    for (uint32_t token = 256; token < tokens_.size(); ++token) {
        tokens_[token].shorter = shorter[token];
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
        for (const uint32_t token : chosen) ids.push_back(tokens_[token].id);
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
