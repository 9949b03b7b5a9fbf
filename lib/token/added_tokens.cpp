// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/added_tokens.h"

#include <algorithm>
#include <cstring>

#include "lib/text/unicode.h"
#include "lib/token/utf8_edges.h"

namespace longhaul::token {

namespace {

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
/// True for bytes that occur here and there in most texts, at most.
bool is_rare(char byte) {
    return std::string_view("#$%&*+/<>@[\\]^_`{|}~\x7F").find(byte) != std::string_view::npos;
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
    const auto first = static_cast<uint8_t>(content[0]);
    const auto second = static_cast<uint8_t>(content.size() > 1 ? content[1] : 0);
    if (content.size() == 1) is_single_byte_[first] = true;
    pairs_[(first * 256u + second) >> 6] |= uint64_t{1} << (second & 63);
    if (first_bytes_.find(content[0]) == std::string::npos) first_bytes_.push_back(content[0]);
    has_rare_starts_ = std::all_of(first_bytes_.begin(), first_bytes_.end(), is_rare) &&
                       first_bytes_.size() <= Cursor().next.size();
    tokens_.push_back(token);
}

size_t AddedTokenFinder::next_candidate(std::string_view text, size_t from, Cursor& cursor) const {
    if (!has_rare_starts_) {
        for (size_t i = from; i < text.size(); ++i) {
            const auto first = static_cast<uint8_t>(text[i]);
            const auto second = static_cast<uint8_t>(i + 1 < text.size() ? text[i + 1] : 0);
            if (may_begin(first, second) || is_single_byte_[first]) return i;
        }
        return text.size();
    }
    size_t nearest = text.size();
    for (size_t k = 0; k < first_bytes_.size(); ++k) {
        if (!cursor.is_set || cursor.next[k] < from) {
            const void* const at =
                std::memchr(text.data() + from, first_bytes_[k], text.size() - from);
            cursor.next[k] = at == nullptr
                                 ? text.size()
                                 : static_cast<size_t>(static_cast<const char*>(at) - text.data());
        }
        nearest = std::min(nearest, cursor.next[k]);
    }
    cursor.is_set = true;
    return nearest;
}

AddedTokenFinder::Found AddedTokenFinder::longest_at(std::string_view text, size_t begin) const {
    Found found;
    uint32_t node = 0;
    for (size_t i = begin; i < text.size(); ++i) {
        const Merge edge = trie_.find(node, static_cast<uint8_t>(text[i]));
        if (edge.id == kNoToken) break;
        if (edge.rank != kNoToken) found = {begin, i + 1, &tokens_[edge.rank]};
        node = edge.id;
    }
    return found;
}

AddedTokenFinder::Found AddedTokenFinder::find(std::string_view text, size_t from,
                                               Cursor& cursor) const {
    for (size_t begin = from; begin < text.size(); ++begin) {
        begin = next_candidate(text, begin, cursor);
        if (begin == text.size()) break;
        const Found found = longest_at(text, begin);
        if (found.token != nullptr) return found;
    }
    return {text.size(), text.size(), nullptr};
}

void AddedTokenFinder::split(std::string_view text, bool parse_special,
                             std::vector<TextPart>& parts) const {
    size_t done = 0;
    Cursor cursor;
    for (Found found = find(text, 0, cursor); found.token != nullptr;
         found = find(text, found.end, cursor)) {
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
    Cursor cursor;
    for (Found found = find(text, 0, cursor); found.token != nullptr;
         found = find(text, found.end, cursor)) {
        if (found.token->is_special) return found.token;
    }
    return nullptr;
}

}  // namespace longhaul::token
