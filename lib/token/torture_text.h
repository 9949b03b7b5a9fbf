// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Generated texts that try a tokenizer where tokenizers go wrong, for `tok-shard selftest` and the
// fuzzers. Reproducible: a text is a pure function of the tokenizer, a seed and a number.

#include <cstdint>
#include <string>

#include "lib/token/tokenizer.h"

namespace longhaul::token {

/// Well-formed UTF-8 of up to 40 parts: what patterns treat in special ways (contractions, kinds of
/// white space, line ends, digits), characters that normalisation changes or joins, characters of
/// all planes, the tokenizer's own tokens and added tokens next to each other, and long runs.
/// @param number which text; seeds and numbers are independent streams
std::string torture_text(const Tokenizer& tokenizer, uint64_t seed, uint64_t number);

}  // namespace longhaul::token
