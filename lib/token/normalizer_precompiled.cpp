// SPDX-License-Identifier: BSD-3-Clause
// The Precompiled step of a normaliser. HF tokenizers does not do what sentencepiece does with the
// same table: it looks up whole graphemes of less than six bytes, takes the shortest rule that
// begins there, and lets its replacement stand for all of the grapheme
// (normalizers/precompiled.rs).
#include "lib/text/graphemes.h"
#include "lib/text/unicode.h"
#include "lib/token/normalizer_steps.h"

namespace longhaul::token {

namespace {

class PrecompiledStep final : public NormalizerStep {
 public:
    explicit PrecompiledStep(Charsmap map) : map_(std::move(map)) {}

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
};

}  // namespace

NormalizerStepPtr make_precompiled_step(Charsmap map) {
    return std::make_shared<PrecompiledStep>(std::move(map));
}

}  // namespace longhaul::token
