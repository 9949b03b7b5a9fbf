// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of replacements that SentencePiece models and the Precompiled normaliser of HF
// tokenizers carry ("precompiled_charsmap"): a double-array trie of byte strings (darts-clone) and
// the texts that replace them. Source of the format: google/sentencepiece, src/normalizer.cc,
// and third_party/darts_clone/darts.h.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::token {

/// Immutable after parse(); all const members may be called in parallel.
class Charsmap {
 public:
    /// @param blob u32 size of the trie, its units, the replacements, each ended by a zero byte.
    /// @param place for messages. @throws DataError naming the byte of `blob`.
    static Charsmap parse(std::string_view blob, const std::string& place);

    /// A rule that applies at the beginning of a text.
    struct Match {
        size_t length = 0;             // bytes to replace; 0: no rule applies
        std::string_view replacement;  // well-formed UTF-8, may be empty
    };
    /// The longest rule (sentencepiece). @param text well-formed UTF-8.
    Match longest(std::string_view text) const;
    /// The shortest rule, whose replacement HF tokenizers takes for a whole grapheme
    /// (huggingface/spm_precompiled, Precompiled::transform).
    Match shortest(std::string_view text) const;

    /// True when no rule begins with this ASCII character alone or before another ASCII character:
    /// a text of such characters has no rule at all.
    bool keeps_ascii(char character) const {
        return static_cast<uint8_t>(character) < 128 &&
               keeps_ascii_[static_cast<uint8_t>(character)];
    }
    /// True when some replacement has this text in it.
    bool writes(std::string_view text) const { return texts_.find(text) != std::string::npos; }
    /// True when a rule begins with this text.
    bool has_rule_from(std::string_view text) const;
    /// True when this ASCII character is in no rule of more characters than itself.
    bool stands_alone(char character) const {
        return static_cast<uint8_t>(character) < 128 &&
               !is_joined_[static_cast<uint8_t>(character)];
    }

 private:
    void check(const std::string& place);
    void find_kept_ascii();
    std::string_view replacement(uint32_t unit) const;

    std::vector<uint32_t> units_;  // padded to whole blocks of 256
    std::string texts_;
    std::array<bool, 128> keeps_ascii_{};
    std::array<bool, 256> is_joined_{};  // bytes of rules of two bytes or more
};

}  // namespace longhaul::token
