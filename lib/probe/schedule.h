// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who is paired with whom, round by round, so that every member is busy all the time.

#include <utility>
#include <vector>

namespace longhaul::probe {

using Pair = std::pair<int, int>;  // first < second
using Round = std::vector<Pair>;

/// A 1-factorisation of the complete graph on `n` members by the circle method: every unordered
/// pair occurs once, every member at most once a round. n - 1 rounds for even n; n rounds for odd
/// n, each with one member idle. @source Kirkman 1847; Lucas 1882, "jeux de demoiselles".
std::vector<Round> round_robin(int n);

}  // namespace longhaul::probe
