// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// "Did you mean ...?"

#include <string>
#include <string_view>
#include <vector>

namespace longhaul::config {

/// The candidate nearest to `word` by edit distance, or "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace longhaul::config
