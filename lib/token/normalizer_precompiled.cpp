// SPDX-License-Identifier: BSD-3-Clause
// The Precompiled step of a normaliser. HF tokenizers does not do what sentencepiece does with the
// same table: it looks up whole graphemes of less than six bytes, takes the shortest rule that
// begins there, and lets its replacement stand for all of the grapheme
// (normalizers/precompiled.rs).
#include <utility>

#include "lib/text/graphemes.h"
#include "lib/text/unicode.h"
#include "lib/token/normalizer_steps.h"

namespace longhaul::token {

namespace {

/// Whether a rule begins with a character of Grapheme_Cluster_Break Prepend (Unicode 16.0,
/// GraphemeBreakProperty.txt), the only ones that make one grapheme with a space behind them.
bool has_rule_of_prepended(const Charsmap& map) {
    static constexpr std::pair<char32_t, char32_t> kRanges[] = {
        {0x0600, 0x0605},   {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},
        {0x08E2, 0x08E2},   {0x0D4E, 0x0D4E},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
        {0x111C2, 0x111C3}, {0x113D1, 0x113D1}, {0x1193F, 0x1193F}, {0x11941, 0x11941},
        {0x11A84, 0x11A89}, {0x11D46, 0x11D46}, {0x11F02, 0x11F02}};
    for (const auto& [first, last] : kRanges) {
        for (char32_t c = first; c <= last; ++c) {
            std::string text;
            text::append_utf8(c, text);
            if (map.has_rule_from(text)) return true;
        }
    }
    return false;
}

class PrecompiledStep final : public NormalizerStep {
 public:
    explicit PrecompiledStep(Charsmap map)
        : map_(std::move(map)), cuts_(!map_.has_rule_from(" ") && !has_rule_of_prepended(map_)) {}

    bool surely_keeps(std::string_view text) const override {
        for (const char c : text) {
            if (!map_.keeps_ascii(c)) return false;
        }
        return true;
    }

    std::string apply(std::string_view text) const override {
        std::string out;
        out.reserve(text.size() + text.size() / 8);
        for (size_t i = 0; i < text.size();) {
            if (stands_alone(text, i)) {
                out.push_back(text[i++]);
                continue;
            }
            const size_t end = text::next_grapheme(text, i);
            put_grapheme(text.substr(i, end - i), out);
            i = end;
        }
        return out;
    }
    /// A grapheme across such a cut has no rule, and is done character by character as its parts
    /// are.
    bool cuts_before(char blank) const override { return cuts_ && map_.stands_alone(blank); }

 private:
    static constexpr size_t kMaxGraphemeBytes = 5;

    /// A character without rules that is a grapheme of its own, because ASCII follows.
    bool stands_alone(std::string_view text, size_t i) const {
        const bool ends = i + 1 == text.size() || static_cast<uint8_t>(text[i + 1]) < 0x80;
        return ends && map_.keeps_ascii(text[i]) && text[i] != '\r';
    }

    void put_grapheme(std::string_view grapheme, std::string& out) const {
        if (grapheme.size() <= kMaxGraphemeBytes) {
            const Charsmap::Match match = map_.shortest(grapheme);
            if (match.length != 0) {
                out += match.replacement;
                return;
            }
        }
        for (size_t i = 0; i < grapheme.size();) {
            const size_t length = text::decode_utf8(grapheme, i).length;
            const std::string_view character = grapheme.substr(i, length);
            const Charsmap::Match match = map_.shortest(character);
            out += match.length != 0 ? match.replacement : character;
            i += length;
        }
    }

    Charsmap map_;
    bool cuts_;
};

}  // namespace

NormalizerStepPtr make_precompiled_step(Charsmap map) {
    return std::make_shared<PrecompiledStep>(std::move(map));
}

}  // namespace longhaul::token
