// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How one step cuts a piece of text: spans that match and spans between them, and what becomes of
// the matches. Semantics of HF tokenizers 0.23, tokenizer/pattern.rs and tokenizer/normalizer.rs.

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/token/regex.h"
#include "lib/token/scheme.h"

namespace longhaul::token {

/// What becomes of the matches of a step (names of HF tokenizers).
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// The classes of characters that steps look for.
enum class SplitClass { kWhiteSpace, kNumeric, kPunctuation };

struct SplitSpan {
    size_t begin, end;
    bool is_match;
};
using SplitSpans = std::vector<SplitSpan>;

// Each replaces `spans` by those of a non-empty `text`, in order; only find_scripts() leaves
// something out.
void find_pieces(Scheme scheme, std::string_view text, SplitSpans& spans);
void find_pieces(const SchemeTruth& scheme, std::string_view text, SplitSpans& spans);
void find_matches(const Regex& regex, std::string_view text, SplitSpans& spans);
void find_literal(std::string_view literal, std::string_view text, SplitSpans& spans);
/// Each character of the class is a match of its own.
void find_class(SplitClass what, std::string_view text, SplitSpans& spans);
/// Runs of word characters and runs of what is neither word nor white space match (\w+|[^\w\s]+).
void find_words(std::string_view text, SplitSpans& spans);
/// Runs of one script (hf_unicode.h), without what stands before the first character that has one.
void find_scripts(std::string_view text, SplitSpans& spans);
/// Runs of `length` characters, the last one shorter. @param length > 0
void find_lengths(size_t length, std::string_view text, SplitSpans& spans);

/// Joins and removes spans as `behavior` says. @param is_inverted what matches and what does not
/// change places
void apply_behavior(SplitBehavior behavior, bool is_inverted, SplitSpans& spans);

}  // namespace longhaul::token
