// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sorting of shingle sets, in vectors.

#include <cstdint>
#include <span>

namespace longhaul::dedup {

/// Sorts in place. @return the first elements, each value once
std::span<uint64_t> sort_unique(std::span<uint64_t> values);

}  // namespace longhaul::dedup
