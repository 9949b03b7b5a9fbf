// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Members beside the text of a JSON record, such as a quality score.

#include <optional>
#include <string_view>

namespace longhaul::corpus {

/// The number in the top-level member `name` of a JSON object. Nothing when there is no such
/// member, when it occurs twice or is no number, or when `line` is no object.
/// A number too large for a double is infinite, one too small is 0.
std::optional<double> number_member(std::string_view line, std::string_view name);

/// True when a JSON object has the top-level member `name`. False for what is no object.
bool has_member(std::string_view line, std::string_view name);

}  // namespace longhaul::corpus
