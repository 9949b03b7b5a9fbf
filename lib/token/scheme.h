// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The known pre-tokenisation patterns: how text is cut into pieces before byte-pair merging. Each
// has a hand-written scanner here; its regular expression, run by lib/token/regex.h, is the truth
// that tests compare it with.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::token {

enum class Scheme { kGpt2, kCl100k, kO200k, kLlama3, kQwen2 };

/// A known pattern: its name for --pattern, and the exact texts by which files give it.
struct SchemeInfo {
    Scheme scheme;
    const char* name;
    const char* hf_pattern;        // as tokenizer.json writes it; the canonical one
    const char* tiktoken_pattern;  // as tiktoken writes it, or ""; same pieces
};
const std::vector<SchemeInfo>& known_schemes();
const SchemeInfo& scheme_info(Scheme scheme);
/// By --pattern name ("gpt2", "cl100k", "o200k", "llama3", "qwen2").
std::optional<Scheme> scheme_by_name(std::string_view name);
/// By the exact text of the regular expression.
std::optional<Scheme> scheme_by_pattern(std::string_view pattern);

/// End of the piece that starts at `begin`; begin < text.size(). Pieces cover the whole text.
/// Linear time over a text. Invalid UTF-8 bytes count as U+FFFD each.
size_t next_piece(Scheme scheme, std::string_view text, size_t begin);

/// Calls visit(piece) for every piece of the text, with the scanner inlined into the loop.
template <class Visit>
void for_each_piece(Scheme scheme, std::string_view text, Visit&& visit);

}  // namespace longhaul::token

#include "lib/token/scheme_impl.h"
