// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The units of a task: several at once when threads are many, since one reader feeds only a few.

#include <cstdint>

#include "lib/tokenize/plan.h"
#include "lib/tokenize/unit_encoder.h"

namespace longhaul::tokenize {

struct UnitsDone {
    UnitCounts counts;
    uint64_t num_units = 0;
};

/// Does the units of this task that have no record yet, and writes their records.
/// @param one_by_one for inputs that must be read in order: pipes
/// @throws the error of the first unit that fails, as if they had been done one after the other;
///         units behind it are given up
UnitsDone encode_units(const UnitContext& context, const Plan& plan, bool one_by_one);

}  // namespace longhaul::tokenize
