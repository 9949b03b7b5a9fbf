// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/cut_table.h"

#include <cstring>

namespace longhaul::token {

namespace {

constexpr char32_t kWordStart = 0x2581;  // LOWER ONE EIGHTH BLOCK, a space in SentencePiece
constexpr std::string_view kWordStartBytes = "\xE2\x96\x81";

}  // namespace

void CutTable::note_pair(char32_t left, char32_t right) {
    if ((left | right) < 128) {
        ascii_pairs_[left * 128 + right] = true;
    } else {
        pairs_.insert(uint64_t{left} << 32 | right);
    }
    if (right == kWordStart && left != kWordStart) is_inside_words_ = true;
}

void CutTable::add_token(std::string_view token) {
    if (token.empty()) return;
    NextChar left = next_char(token, 0);
    while (left.end < token.size()) {
        const NextChar right = next_char(token, left.end);
        note_pair(left.character, right.character);
        left = right;
    }
}

void CutTable::allow_before(char32_t character) {
    allowed_.set(character, 1);
}

/// The first U+2581 after another character, when a cut is allowed there.
size_t CutTable::word_end(std::string_view text) const {
    if (is_inside_words_ || (!is_allowed_before_all_ && allowed_.get(kWordStart) == kNoToken)) {
        return text.size();
    }
    size_t position = 0;
    while (text.substr(position).starts_with(kWordStartBytes)) position += kWordStartBytes.size();
    while (position < text.size()) {
        const void* found =
            std::memchr(text.data() + position, kWordStartBytes[0], text.size() - position);
        if (found == nullptr) return text.size();
        position = static_cast<size_t>(static_cast<const char*>(found) - text.data());
        if (text.substr(position).starts_with(kWordStartBytes)) return position;
        ++position;
    }
    return text.size();
}

size_t CutTable::first_cut(std::string_view text) const {
    const size_t word = word_end(text.substr(0, kShortBytes + kWordStartBytes.size()));
    if (word <= kShortBytes || text.size() <= kShortBytes) return std::min(word, text.size());
    // A long word, or a language without spaces.
    size_t last = 0;
    NextChar left = next_char(text, 0);
    while (left.end < text.size()) {
        const NextChar right = next_char(text, left.end);
        if (is_cut(left.character, right.character)) {
            if (left.end > kShortBytes) return last != 0 ? last : left.end;
            last = left.end;
            if ((left.character | right.character) >= 128) return last;  // short parts repeat more
        } else if (last != 0 && right.end > kShortBytes) {
            return last;
        }
        left = right;
    }
    return last != 0 ? last : text.size();
}

}  // namespace longhaul::token
