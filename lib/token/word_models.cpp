// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/word_models.h"

#include <algorithm>

namespace longhaul::token {

WordPiece::WordPiece(Vocabulary vocabulary, const Options& options)
    : vocabulary_(std::move(vocabulary)), options_(options) {
    std::vector<PrefixTrie::Key> first, inner;
    for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
        const std::string_view text = vocabulary_.bytes(id);
        if (text.empty()) continue;
        first.emplace_back(text, id);
        if (text.size() > options_.inner_prefix.size() && text.starts_with(options_.inner_prefix)) {
            inner.emplace_back(text.substr(options_.inner_prefix.size()), id);
        }
    }
    first_ = PrefixTrie(std::move(first));
    inner_ = PrefixTrie(std::move(inner));
}

void WordPiece::encode(std::string_view piece, std::vector<uint32_t>& ids) const {
    const auto is_first_byte = [](char byte) {
        return (static_cast<uint8_t>(byte) & 0xC0) != 0x80;
    };
    const auto num_characters = std::count_if(piece.begin(), piece.end(), is_first_byte);
    const size_t before = ids.size();
    bool is_bad = static_cast<uint64_t>(num_characters) > options_.max_characters;
    for (std::string_view rest = piece; !rest.empty() && !is_bad;) {
        size_t longest = 0;
        uint32_t found = kNoToken;
        const PrefixTrie& trie = rest.size() == piece.size() ? first_ : inner_;
        trie.for_each_prefix(rest, [&](size_t length, uint32_t id) {
            longest = length;
            found = id;
        });
        is_bad = found == kNoToken;
        ids.push_back(found);
        rest.remove_prefix(longest);
    }
    if (!is_bad) return;
    ids.resize(before);
    ids.push_back(options_.unknown_id);
}

}  // namespace longhaul::token
