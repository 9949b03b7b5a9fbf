// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The inner loop of native shingles, by SIMD (Highway, best target chosen at run time).

#include <cstddef>
#include <cstdint>
#include <span>

namespace longhaul::dedup {

/// Sums of neighbours, in place: values[i] = sum over j of values[i + j] * factors[j], modulo 2^64,
/// for i < count.
/// @param values count + factors.size() - 1 of them
void weighted_sums(uint64_t* values, size_t count, std::span<const uint64_t> factors);

}  // namespace longhaul::dedup
