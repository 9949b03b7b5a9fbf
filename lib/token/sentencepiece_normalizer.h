// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What sentencepiece does to a text before its model sees it. Source: google/sentencepiece,
// src/normalizer.cc, Normalizer::Normalize.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/charsmap.h"
#include "lib/token/normalizer.h"
#include "lib/token/prefix_trie.h"

namespace longhaul::token {

struct SentencePieceModel;

/// Immutable; apply() may be called in parallel.
class SentencePieceNormalizer final : public NormalizerStep {
 public:
    /// @throws DataError when the charsmap is broken.
    SentencePieceNormalizer(const SentencePieceModel& model, const std::string& name);

    /// @param text well-formed UTF-8. @return the same with spaces as U+2581, as the model says.
    std::string apply(std::string_view text) const override;
    bool surely_keeps(std::string_view /*text*/) const override { return false; }
    /// Only where extra spaces are removed and each part gets the prefix that stands for a space.
    bool cuts_before(char blank) const override;

 private:
    struct Step {
        size_t length;  // bytes of the text
        std::string_view replacement;
    };
    Step step(std::string_view text) const;
    size_t plain_length(std::string_view text) const;
    void append(std::string_view piece, std::string& out) const;

    std::optional<Charsmap> charsmap_;
    std::vector<std::string> user_defined_;
    PrefixTrie user_defined_trie_;
    std::array<bool, 256> begins_user_defined_{};
    std::array<bool, 256> is_plain_{};  // bytes that stay, if an ASCII one follows
    bool adds_prefix_, adds_suffix_, remove_extra_spaces_;
    std::string_view space_;
};

}  // namespace longhaul::token
