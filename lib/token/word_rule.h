// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which tokenizers may be given a text word by word: cut before blanks, each word with the blanks
// in front of it, the ids of the words joined are those of the text. Then the words of the text as
// it is, before any normalising, are what a cache remembers.

#include <optional>

#include "lib/token/tokenizer.h"
#include "lib/token/word_cutter.h"

namespace longhaul::token {

struct WordRule {
    enum class Kind {
        // Spaces become U+2581 and nothing else changes; the model gets all of the text and merges
        // nothing across a cut (Llama 2, Mistral, Gemma).
        kMarked,
        // Normaliser and pre-tokeniser treat each word as they would inside the text, and no piece
        // reaches across a cut (BERT, T5, XLNet).
        kSplit
    };
    Kind kind;
    WordCutter::Options cuts;
    /// kMarked: whether U+2581 is put before the text.
    enum class Prefix { kNever, kAlways, kUnlessThere };
    Prefix prefix = Prefix::kNever;
    bool prefix_at_document_only = false;
};

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

/// Nothing where it is not certain. Added tokens are not looked at.
std::optional<WordRule> find_word_rule(const TokenizerParts& parts);

}  // namespace longhaul::token
