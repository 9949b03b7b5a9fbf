// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The known pre-tokenisation patterns: how text is cut into pieces before byte-pair merging. Each
// has a hand-written scanner (scheme_scanner.h) and a faster one for whole texts (cutter.h); its
// regular expressions, run by lib/token/regex.h, are the truth that tests compare them with.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/regex.h"

namespace longhaul::token {

enum class Scheme {
    kGpt2,
    kCl100k,
    kO200k,
    kLlama3,
    kQwen2,
    kQwen35,
    kDeepSeekV3,
    kStarCoder,
    kTekken,
    kKimiK2,
    kFalcon,
};
inline constexpr size_t kNumSchemes = 11;

/// A known pattern: its name for --pattern, and the exact texts by which files give it.
struct SchemeInfo {
    Scheme scheme;
    const char* name;
    // One regular expression, or several steps, each of which cuts the pieces of the one before
    // into its matches and what lies between them ("Split", behaviour "Isolated"). As
    // tokenizer.json writes them; the canonical ones.
    std::vector<std::string> steps;
    const char* tiktoken_pattern;  // as tiktoken writes it, or ""; same pieces
};
const std::vector<SchemeInfo>& known_schemes();
const SchemeInfo& scheme_info(Scheme scheme);
/// By --pattern name ("gpt2", "cl100k", "o200k", "llama3", "qwen2", ...).
std::optional<Scheme> scheme_by_name(std::string_view name);
/// By the exact text of the regular expression, for those that are one.
std::optional<Scheme> scheme_by_pattern(std::string_view pattern);
/// By the texts of all steps, for those that are several. Steps of tokenizer.json that are no
/// regular expression are written as below.
std::optional<Scheme> scheme_by_steps(std::span<const std::string> steps);

// Steps of huggingface/tokenizers (pre_tokenizers/) as regular expressions.
inline constexpr const char* kByteLevelStep =  // ByteLevel with use_regex
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr const char* kEachDigitStep = R"(\p{N})";  // Digits, individual_digits
// Those that are none have names that no regular expression has: they would repeat nothing.
inline constexpr const char* kPunctuationRunsStep = "*punctuation";  // Punctuation, Contiguous
inline constexpr const char* kDigitRunsStep = "*digits";            // Digits, not individual_digits
inline constexpr const char* kByteAlphabetStep = "*byte alphabet";  // later steps see that of bytes
inline constexpr const char* kBytesStep = "*bytes";                 // back to them, at the end

/// The steps of a scheme, by the general path. Immutable; split() may be called in parallel.
class SchemeTruth {
 public:
    explicit SchemeTruth(Scheme scheme);
    /// Appends the pieces of `text`, which cover it.
    void split(std::string_view text, std::vector<std::string_view>& pieces) const;

 private:
    struct Step {
        std::string text;
        std::optional<Regex> regex;
    };
    std::vector<Step> steps_;
};

/// End of the piece that starts at `begin`; begin < text.size(). Pieces cover the whole text, and
/// those from a piece's start on do not depend on what is before it, but for Falcon, which cuts
/// inside characters: on the character it is in. Linear time over a text.
/// Invalid UTF-8 bytes count as U+FFFD each.
size_t next_piece(Scheme scheme, std::string_view text, size_t begin);

/// Calls visit(piece) for every piece of the text, with the scanner inlined into the loop.
template <class Visit>
void for_each_piece(Scheme scheme, std::string_view text, Visit&& visit);

}  // namespace longhaul::token

#include "lib/token/scheme_scanner.h"
