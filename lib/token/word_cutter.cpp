// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/word_cutter.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace longhaul::token {

namespace {

constexpr size_t kBlock = 64;
constexpr size_t kBlocks = WordCutter::kWindow / kBlock;
using Masks = std::array<detail::WordMasks, kBlocks>;

/// The masks of the next bytes of `text`, kWindow at most. @return the number of blocks
size_t find_masks(std::string_view text, const std::array<uint8_t, 4>& blanks, Masks& masks) {
    const size_t whole = std::min(text.size() / kBlock, kBlocks);
    detail::find_word_masks(text.data(), whole, blanks, masks.data());
    if (whole == kBlocks || text.size() == whole * kBlock) return whole;
    char padded[kBlock] = {};
    std::memcpy(padded, text.data() + whole * kBlock, text.size() - whole * kBlock);
    detail::find_word_masks(padded, 1, blanks, &masks[whole]);
    return whole + 1;
}

uint64_t behind(uint64_t now, uint64_t before) {
    return now << 1 | before >> 63;
}

/// Where a byte is of another class than the one before it.
uint64_t class_borders(const detail::WordMasks& now, const detail::WordMasks& before) {
    return (now.letters ^ behind(now.letters, before.letters)) |
           (now.digits ^ behind(now.digits, before.digits)) |
           (now.line_feeds ^ behind(now.line_feeds, before.line_feeds)) |
           (now.wide ^ behind(now.wide, before.wide));
}

}  // namespace

WordCutter::WordCutter(const Options& options) : options_(options) {
    for (size_t i = 0; i < blanks_.size(); ++i) {
        blanks_[i] = static_cast<uint8_t>(options.blanks[std::min(i, options.blanks.size() - 1)]);
    }
}

/// The starts of a block at `at` that are cuts. @return how many
size_t WordCutter::write_ends(std::string_view text, size_t at, uint64_t starts,
                              uint32_t* ends) const {
    size_t count = 0;
    for (; starts != 0; starts &= starts - 1) {
        const size_t start = at + static_cast<size_t>(std::countr_zero(starts));
        const auto last = static_cast<uint8_t>(text[start - 1]);
        ends[count] = static_cast<uint32_t>(start);
        count += options_.allowed[last][static_cast<uint8_t>(text[start])] ? 1 : 0;
    }
    return count;
}

size_t WordCutter::cut(std::string_view text, size_t begin, Ends& ends) const {
    text.remove_prefix(begin);
    size_t count = 0;
    Masks masks;
    detail::WordMasks before{};
    for (size_t window = 0; window < text.size() && count == 0; window += kWindow) {
        const size_t num_blocks = find_masks(text.substr(window), blanks_, masks);
        for (size_t i = 0; i < num_blocks; ++i) {
            const detail::WordMasks& now = masks[i];
            const size_t at = window + i * kBlock;
            const uint64_t after_blanks = behind(now.blanks, before.blanks);
            uint64_t starts = now.blanks;
            if (options_.cuts_classes) starts |= class_borders(now, before);
            starts &= ~after_blanks;
            if (at == 0) starts &= ~uint64_t{1};
            if (text.size() - at < kBlock) starts &= (uint64_t{1} << (text.size() - at)) - 1;
            count += write_ends(text, at, starts, ends.data() + count);
            before = now;
        }
        if (window + kWindow >= text.size()) ends[count++] = static_cast<uint32_t>(text.size());
    }
    return count;
}

}  // namespace longhaul::token
