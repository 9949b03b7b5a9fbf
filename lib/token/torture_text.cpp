// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/torture_text.h"

#include <iterator>

#include "lib/base/philox.h"
#include "lib/text/unicode.h"

namespace longhaul::token {
namespace {

constexpr std::string_view kFragments[] = {
    "'s", "'LL", "'RE", "'", "n't", "'\u017F", "word", "Word", "WORD", "wordWORDWord", "\u01C5",
    // White space, what looks like it, line ends.
    " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\r", "\t", "\v", "\u0085", "\u00A0", "\u2028",
    "\u3000", "\u200B", "\uFEFF", "\u001C", std::string_view("\0", 1),
    // Numbers and punctuation.
    "1", "12", "345678", "\u0661", "\u2167", "\u00BD", "...", "//", "/\n", "_", "#!", "\u3002",
    "\u2014", "\u20AC", "\u0301", "e\u0301", "\u00E9", "\u0340",
    // Normalisation: Hangul by parts, order of marks, compatibility forms, full lower case.
    "\u1112\u1161\u11AB", "\uD55C", "\u0344", "a\u0323\u0307", "a\u0307\u0323", "\uFB01", "\u2460",
    "\u212B", "\u0130", "\u1E9E", "\uFF76\uFF9E", "\u0958",
    // Scripts without spaces, emoji with joiners, private use.
    "\u4E2D\u6587", "\u65E5\u672C\u8A9E\u30C6\u30AD\u30B9\u30C8", "\u0E44\u0E17\u0E22",
    "\u0939\u093F\u0928\u094D\u0926\u0940", "\u0639\u0631\u0628\u064A", "\U0001F600",
    "\U0001F468\u200D\U0001F469", "\uE000", "\U00020000",
    // What marks spaces, bytes and continuations inside vocabularies.
    "\u2581", "\u0120", "\u010A", "##", "</w>", "<0x41>", "<|endoftext|>", "<s>", "[MASK]"};

std::string random_character(const PhiloxBlock& draw) {
    constexpr char32_t kLimits[] = {0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000};
    std::string text;
    const char32_t c = draw.word[1] % kLimits[draw.word[2] % std::size(kLimits)];
    if (c < 0xD800 || c > 0xDFFF) text::append_utf8(c, text);
    return text;
}

/// A token of the vocabulary, when its bytes are text; those of the first half oftener: they are
/// the frequent ones, from which merges are made.
std::string random_token(const Tokenizer& tokenizer, const PhiloxBlock& draw) {
    const uint32_t size = tokenizer.vocab_size();
    const uint32_t limit = draw.word[2] % 2 == 0 ? size : size / 2 + 1;
    const std::string_view bytes = tokenizer.token_bytes(draw.word[1] % limit);
    return text::is_valid_utf8(bytes) ? std::string(bytes) : std::string();
}

std::string random_part(const Tokenizer& tokenizer, const PhiloxBlock& draw) {
    const auto& added = tokenizer.parts().added;
    switch (draw.word[0] % 8) {
        case 0:
        case 1:
            return random_character(draw);
        case 2:
        case 3:
            return random_token(tokenizer, draw);
        case 4:
            if (!added.empty()) return added[draw.word[1] % added.size()].content;
            [[fallthrough]];
        default:
            return std::string(kFragments[draw.word[1] % std::size(kFragments)]);
    }
}

}  // namespace

std::string torture_text(const Tokenizer& tokenizer, uint64_t seed, uint64_t number) {
    const PhiloxKey key{seed, RandomPurpose::kTest, number, 0};
    std::string text;
    const uint32_t num_parts = philox_draw(key, 0).word[0] % 40;
    for (uint64_t i = 1; i <= num_parts; ++i) {
        const PhiloxBlock draw = philox_draw(key, i);
        const std::string part = random_part(tokenizer, draw);
        // Runs: short ones cross the borders of blocks, long ones leave the caches of pieces.
        const uint32_t chance = draw.word[3] % 64;
        const uint32_t times = chance > 3 ? 1 : chance > 0 ? 2 + draw.word[3] / 64 % 30 : 700;
        for (uint32_t time = 0; time < times; ++time) text += part;
    }
    return text;
}

}  // namespace longhaul::token
