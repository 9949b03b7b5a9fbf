// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/added_tokens.h"

#include <algorithm>

#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

/// Start of the last character of a non-empty text.
size_t last_character(std::string_view text) {
    size_t begin = text.size() - 1;
    while (begin > 0 && text.size() - begin < 4 && (text[begin] & 0xC0) == 0x80) --begin;
    return begin;
}
bool ends_with_word(std::string_view text) {
    return !text.empty() && text::is_word(text::decode_utf8(text, last_character(text)).code_point);
}
bool starts_with_word(std::string_view text) {
    return !text.empty() && text::is_word(text::decode_utf8(text, 0).code_point);
}
/// Where the white space at the end of the text begins.
size_t trailing_space(std::string_view text) {
    while (!text.empty()) {
        const size_t last = last_character(text);
        if (!text::is_white_space(text::decode_utf8(text, last).code_point)) break;
        text = text.substr(0, last);
    }
    return text.size();
}
size_t leading_space(std::string_view text) {
    size_t length = 0;
    while (length < text.size()) {
        const text::Decoded c = text::decode_utf8(text, length);
        if (!text::is_white_space(c.code_point)) break;
        length += c.length;
    }
    return length;
}

}  // namespace

void AddedTokenFinder::add(const AddedToken& token, std::string_view content) {
    if (content.empty()) return;
    uint32_t node = 0;
    for (size_t i = 0; i < content.size(); ++i) {
        const auto byte = static_cast<uint8_t>(content[i]);
        Merge edge = trie_.find(node, byte);
        if (edge.id == kNoToken) edge.id = num_nodes_++;
        if (i + 1 == content.size()) edge.rank = static_cast<uint32_t>(tokens_.size());
        trie_.set(node, byte, edge);
        node = edge.id;
    }
    is_first_byte_[static_cast<uint8_t>(content[0])] = true;
    tokens_.push_back(token);
}

AddedTokenFinder::Found AddedTokenFinder::find(std::string_view text, size_t from) const {
    for (size_t begin = from; begin < text.size(); ++begin) {
        if (!is_first_byte_[static_cast<uint8_t>(text[begin])]) continue;
        Found found;
        uint32_t node = 0;
        for (size_t i = begin; i < text.size(); ++i) {
            const Merge edge = trie_.find(node, static_cast<uint8_t>(text[i]));
            if (edge.id == kNoToken) break;
            if (edge.rank != kNoToken) found = {begin, i + 1, &tokens_[edge.rank]};
            node = edge.id;
        }
        if (found.token != nullptr) return found;
    }
    return {text.size(), text.size(), nullptr};
}

void AddedTokenFinder::split(std::string_view text, bool parse_special,
                             std::vector<TextPart>& parts) const {
    size_t done = 0;
    for (Found found = find(text, 0); found.token != nullptr; found = find(text, found.end)) {
        const AddedToken& token = *found.token;
        size_t begin = found.begin, end = found.end;
        if (token.is_special && !parse_special) continue;
        if (token.is_single_word &&
            (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) {
            continue;
        }
        if (token.strips_left) begin = std::max(trailing_space(text.substr(0, begin)), done);
        if (token.strips_right) end += leading_space(text.substr(end));
        if (done < begin) parts.push_back({text.substr(done, begin - done), kNoToken});
        parts.push_back({text.substr(begin, end - begin), token.id});
        done = end;
    }
    if (done < text.size()) parts.push_back({text.substr(done), kNoToken});
}

const AddedToken* AddedTokenFinder::find_special(std::string_view text) const {
    for (Found found = find(text, 0); found.token != nullptr; found = find(text, found.end)) {
        if (found.token->is_special) return found.token;
    }
    return nullptr;
}

}  // namespace longhaul::token
