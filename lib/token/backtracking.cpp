// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/backtracking.h"

#include <algorithm>

#include "lib/token/bpe.h"

namespace longhaul::token {

namespace {

/// derive() is quadratic in a token's length; real vocabularies stop at 128 bytes.
constexpr uint32_t kMaxTokenBytes = 1024;

/// How BPE makes a token out of its own bytes: the last merge, or nothing.
struct Derivation {
    uint32_t id, left, right, rank;
};

/// The pair whose merge yields `id` last when its bytes are encoded alone; left is kNoToken when
/// they never become that one token. Leaves out the last step and looks which pair remains.
Derivation derive(const Bpe& bpe, uint32_t id, std::vector<uint32_t>& symbols) {
    symbols.clear();
    for (const char byte : bpe.vocabulary().bytes(id)) {
        symbols.push_back(bpe.byte_token(static_cast<uint8_t>(byte)));
    }
    while (symbols.size() >= 2) {
        size_t best = 0;
        Merge best_merge;
        for (size_t i = 0; i + 1 < symbols.size(); ++i) {
            const Merge merge = bpe.merges().find(symbols[i], symbols[i + 1]);
            if (merge.rank < best_merge.rank) best = i, best_merge = merge;
        }
        if (best_merge.rank == kNoToken) break;
        if (symbols.size() == 2 && best_merge.id == id) {
            return {id, symbols[0], symbols[1], best_merge.rank};
        }
        symbols[best] = best_merge.id;
        symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
    }
    return {id, kNoToken, kNoToken, kNoToken};
}

}  // namespace

Backtracking::Backtracking(const Bpe& bpe) {
    is_possible_ = bpe.vocabulary().longest_token_bytes() <= kMaxTokenBytes;
    if (is_possible_) number_tokens(bpe);
    if (is_possible_) build_trie(bpe);
    if (is_possible_) build_starts();
}

void Backtracking::number_tokens(const Bpe& bpe) {
    std::vector<uint32_t> number(bpe.vocabulary().size(), kNoToken), symbols;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const uint32_t id = bpe.byte_token(static_cast<uint8_t>(byte)), self = byte;
        number[id] = self;
        tokens_.push_back({id, self, self, kNoToken, 1});
    }
    std::vector<Derivation> derivations;
    for (uint32_t id = 0; id < bpe.vocabulary().size(); ++id) {
        const std::string_view bytes = bpe.vocabulary().bytes(id);
        if (bytes.size() < 2 || bpe.vocabulary().find(bytes) != id) continue;
        const Derivation derivation = derive(bpe, id, symbols);
        if (derivation.left != kNoToken) derivations.push_back(derivation);
    }
    std::sort(derivations.begin(), derivations.end(),
              [](const Derivation& a, const Derivation& b) { return a.rank < b.rank; });
    for (const Derivation& made : derivations) {
        const uint32_t left = number[made.left], right = number[made.right];
        // The parts must have been made before: then the numbers order the merges in time.
        if (left == kNoToken || right == kNoToken) {
            is_possible_ = false;
            return;
        }
        const auto self = static_cast<uint32_t>(tokens_.size());
        number[made.id] = self;
        const auto length = static_cast<uint32_t>(bpe.vocabulary().bytes(made.id).size());
        tokens_.push_back({made.id, left, right, kNoToken, length});
        pairs_.set(left, right, {self, self});
    }
}

void Backtracking::build_trie(const Bpe& bpe) {
    uint32_t num_nodes = 1;  // 0 is the root
    for (uint32_t self = 0; self < tokens_.size(); ++self) {
        uint32_t node = 0;
        const std::string_view bytes = bpe.vocabulary().bytes(tokens_[self].id);
        for (size_t i = 0; i < bytes.size(); ++i) {
            const auto byte = static_cast<uint8_t>(bytes[i]);
            Merge edge = trie_.find(node, byte);
            if (edge.id == kNoToken) edge.id = num_nodes++;
            if (i + 1 == bytes.size()) edge.rank = self;
            trie_.set(node, byte, edge);
            node = edge.id;
        }
    }
    for (Token& token : tokens_) {
        uint32_t node = 0;
        const std::string_view bytes = bpe.vocabulary().bytes(token.id);
        for (size_t i = 0; i + 1 < bytes.size(); ++i) {
            const Merge edge = trie_.find(node, static_cast<uint8_t>(bytes[i]));
            if (edge.rank != kNoToken) token.shorter = edge.rank;
            node = edge.id;
        }
    }
}

void Backtracking::build_starts() {
    starts_.reserve(65536);
    for (uint32_t first = 0; first < 256; ++first) {
        const Merge one = trie_.find(0, first);
        for (uint32_t second = 0; second < 256; ++second) {
            const Merge two = trie_.find(one.id, second);
            starts_.push_back({two.id, two.rank != kNoToken ? two.rank : one.rank});
        }
    }
}

uint32_t Backtracking::longest_match(std::string_view text) const {
    if (text.size() == 1) return trie_.find(0, static_cast<uint8_t>(text[0])).rank;
    const Start start =
        starts_[size_t{static_cast<uint8_t>(text[0])} << 8 | static_cast<uint8_t>(text[1])];
    uint32_t node = start.node, best = start.best;
    for (size_t i = 2; i < text.size() && node != kNoToken; ++i) {
        const Merge edge = trie_.find(node, static_cast<uint8_t>(text[i]));
        if (edge.rank != kNoToken) best = edge.rank;
        node = edge.id;
    }
    return best;
}

bool Backtracking::is_valid_pair(uint32_t left, uint32_t right) const {
    // Undo merges from the latest backwards, looking only at the two tokens that touch the border:
    // a merge across it that came earlier than the undone one would have won.
    uint32_t limit = kNoToken;
    for (;;) {
        const Merge across = pairs_.find(left, right);
        if (across.rank != kNoToken && across.rank < limit) return false;
        if (left > right) {
            limit = left;
            left = tokens_[left].right;
            if (left == limit) {
                limit = right + 1;
                right = tokens_[right].left;
                if (right + 1 == limit) return true;
            }
        } else {
            limit = right + 1;
            right = tokens_[right].left;
            if (right + 1 == limit) {
                limit = left;
                left = tokens_[left].right;
                if (left == limit) return true;
            }
        }
    }
}

void Backtracking::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    std::vector<bool> is_open(piece.size() + 1, true);  // false: no encoding has a border here
    std::vector<uint32_t> chosen;
    size_t position = 0;
    uint32_t candidate = longest_match(piece);
    while (position < piece.size()) {
        const size_t end = position + tokens_[candidate].length;
        if (is_open[end] && (chosen.empty() || is_valid_pair(chosen.back(), candidate))) {
            chosen.push_back(candidate);
            position = end;
            if (position < piece.size()) candidate = longest_match(piece.substr(position));
        } else if (tokens_[candidate].shorter != kNoToken) {
            candidate = tokens_[candidate].shorter;
        } else {
            is_open[position] = false;
            candidate = chosen.back();
            chosen.pop_back();
            position -= tokens_[candidate].length;
        }
    }
    ids.reserve(ids.size() + chosen.size());
    for (const uint32_t token : chosen) ids.push_back(tokens_[token].id);
}

}  // namespace longhaul::token
