// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which bytes a match of a program can begin with, so that most places of a text and most
// alternatives are passed over by one look at a byte.

#include <vector>

#include "lib/token/regex.h"

namespace longhaul::token {

/// For each instruction what text matched from there on can begin with, or more; all bytes where
/// nothing need follow. Of bytes that are not ASCII it has all, or lead bytes only.
std::vector<ByteSet> first_bytes(const std::vector<Regex::Instruction>& program,
                                 const std::vector<CharSet>& sets);

}  // namespace longhaul::token
