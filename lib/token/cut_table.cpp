// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/cut_table.h"

#include <algorithm>
#include <bit>

#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

constexpr uint64_t kNoPair = ~uint64_t{0};

constexpr std::string_view kSpaceBytes = "\xE2\x96\x81";  // of kSpace

uint64_t pair_of(char32_t left, char32_t right) {
    return uint64_t{left} << 32 | right;
}

}  // namespace

void CutTable::add_token(std::string_view token) {
    if (token.empty()) return;
    NextChar left = next_char(token, 0);
    while (left.end < token.size()) {
        const NextChar right = next_char(token, left.end);
        const uint32_t narrow_left = narrow(left.character), narrow_right = narrow(right.character);
        if (narrow_left < kNarrow && narrow_right < kNarrow) {
            narrow_pairs_[narrow_left * kNarrow + narrow_right] = true;
        } else {
            pairs_.push_back(pair_of(left.character, right.character));
        }
        left = right;
    }
}

size_t CutTable::slot_of(uint64_t pair) const {
    const size_t mask = slots_.size() - 1;
    uint64_t hash = pair * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
    size_t slot = hash & mask;
    while (slots_[slot] != kNoPair && slots_[slot] != pair) slot = (slot + 1) & mask;
    return slot;
}

void CutTable::finish() {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    slots_.assign(std::bit_ceil(pairs_.size() * 2 + 2), kNoPair);
    for (const uint64_t pair : pairs_) slots_[slot_of(pair)] = pair;
    for (uint32_t right = 0; right < kNarrow; ++right) {
        const char32_t character = right == kNarrow - 1 ? kSpace : right;
        const bool is_allowed = is_allowed_before(character);
        for (uint32_t left = 0; left < kNarrow; ++left) {
            const uint32_t at = left * kNarrow + right;
            narrow_cuts_[at] = is_allowed && !narrow_pairs_[at];
        }
    }
}

bool CutTable::is_cut(char32_t left, char32_t right) const {
    const uint32_t narrow_left = narrow(left), narrow_right = narrow(right);
    if (narrow_left < kNarrow && narrow_right < kNarrow) {
        return narrow_cuts_[narrow_left * kNarrow + narrow_right];
    }
    if (!is_allowed_before(right)) return false;
    const uint64_t pair = pair_of(left, right);
    return slots_[slot_of(pair)] != pair;
}

/// Calls visit(left, right) for every pair of characters that tokens have.
template <class Visit>
void CutTable::for_each_pair(const Visit& visit) const {
    const auto widen = [](uint32_t narrow) { return narrow == kNarrow - 1 ? kSpace : narrow; };
    for (uint32_t at = 0; at < kNarrow * kNarrow; ++at) {
        if (narrow_pairs_[at]) visit(widen(at / kNarrow), widen(at % kNarrow));
    }
    for (const uint64_t pair : pairs_) {
        visit(static_cast<char32_t>(pair >> 32), static_cast<char32_t>(pair & 0xFFFFFFFF));
    }
}

Model::ByteCuts CutTable::byte_cuts() const {
    Model::ByteCuts cuts;
    for (auto& row : cuts) {
        if (is_allowed_before_all_) row.set();
        for (char32_t right = 0; right < 128; ++right) {
            row[right] = is_allowed_before(right == ' ' ? kSpace : right);
        }
    }
    for_each_pair([&](char32_t left, char32_t right) {
        char bytes[4];
        const auto last = static_cast<uint8_t>(text::put_utf8(left, bytes)[-1]);
        text::put_utf8(right, bytes);
        const auto first = static_cast<uint8_t>(bytes[0]);
        cuts[last][first] = false;
        if (left == kSpace) cuts[' '][first] = false;
        if (right == kSpace) cuts[last][' '] = false;
        if (left == kSpace && right == kSpace) cuts[' '][' '] = false;
    });
    return cuts;
}

/// Goes on over narrow characters. @return the number of ends
size_t CutTable::cut_narrow(std::string_view text, NextChar& left, uint32_t* ends, size_t count,
                            size_t most) const {
    uint32_t narrow_left = narrow(left.character);
    if (narrow_left >= kNarrow) return count;
    size_t position = left.end;
    while (position < text.size() && count < most) {
        uint32_t narrow_right = static_cast<uint8_t>(text[position]);
        size_t length = 1;
        if (narrow_right >= kNarrow - 1) {
            if (!text.substr(position).starts_with(kSpaceBytes)) break;
            narrow_right = kNarrow - 1;
            length = kSpaceBytes.size();
        }
        ends[count] = static_cast<uint32_t>(position);
        count += narrow_cuts_[narrow_left * kNarrow + narrow_right];
        narrow_left = narrow_right;
        position += length;
    }
    left = {narrow_left == kNarrow - 1 ? kSpace : narrow_left, position};
    return count;
}

size_t CutTable::cut(std::string_view text, uint32_t* ends, size_t most) const {
    size_t count = 0;
    NextChar left = next_char(text, 0);
    for (;;) {
        count = cut_narrow(text, left, ends, count, most);
        if (count == most) return count;
        if (left.end == text.size()) break;
        const NextChar right = next_char(text, left.end);
        if (is_cut(left.character, right.character)) {
            ends[count++] = static_cast<uint32_t>(left.end);
            if (count == most) return count;
        }
        left = right;
    }
    ends[count++] = static_cast<uint32_t>(text.size());
    return count;
}

}  // namespace longhaul::token
