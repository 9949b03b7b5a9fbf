// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What parameters mean: which pairs are found, what chance adds, what it costs.

#include <string>

#include "lib/dedup/signature/parameters.h"

namespace longhaul::dedup {

/// For people: parameters in words, the S-curve, false candidates, cost.
std::string explanation(const Parameters& parameters);
/// The same as one JSON object, indented, "schema" 1.
std::string explanation_json(const Parameters& parameters);

/// Expected pairs of bands of different documents that have one 64-bit key by chance:
/// bands * documents^2 / 2^65.
double chance_candidates(int bands, double documents);

}  // namespace longhaul::dedup
