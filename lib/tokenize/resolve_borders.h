// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// --bos and --eos: which tokens stand around every document.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/shards/borders.h"
#include "lib/token/tokenizer.h"

namespace longhaul::tokenize {

/// The words of one option, in their order: tokens by text or as "id:N"; or one word alone.
/// "auto", as no word at all: the tokens of the tokenizer's template on that side; where it has
/// none, and only for the end, the one special token of a usual name.
/// "template": the tokens of the template on that side, if there are any. "none": no token.
using BorderWords = std::vector<std::string>;

/// @throws UsageError naming the option: no such token, a word that does not stand alone, no
///         template, too many
std::vector<uint32_t> resolve_bos(const token::Tokenizer& tokenizer, const BorderWords& words);
/// The same for the end. @throws UsageError also: "auto" can not tell
std::vector<uint32_t> resolve_eos(const token::Tokenizer& tokenizer, const BorderWords& words);

/// The ids of a document without its borders; as they are where it does not have them (a document
/// without any token, or one cut by samples).
std::span<const uint32_t> inside_borders(std::span<const uint32_t> ids,
                                         const shards::Borders& borders);

}  // namespace longhaul::tokenize
