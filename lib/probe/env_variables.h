// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The NCCL_ variables that exist, for spelling, and rules on values, as data.

#include <span>
#include <string_view>

#include "lib/record/finding.h"

namespace longhaul::probe {

/// Names that NCCL 2.18 to 2.30 (and its common plugins) read.
/// @source NCCL docs/userguide/source/env.rst and NCCL_PARAM() in its source.
std::span<const std::string_view> known_nccl_variables();

/// A value that is known to hurt.
struct ValueRule {
    std::string_view name;
    /// The values it applies to, separated by '|'; "*" = any value that is not empty.
    std::string_view values;
    record::Status status;
    std::string_view code;
    std::string_view why;
    std::string_view remedy;
};
std::span<const ValueRule> value_rules();

}  // namespace longhaul::probe
