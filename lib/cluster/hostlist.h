// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slurm's compact lists of host names, "gpu[01-03,7],login1", and back. Pure text: no controller
// and no libslurm is needed.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::cluster {

/// More hosts than this in one list are taken for a mistake.
inline constexpr size_t kMaxHosts = 1 << 16;

/// The single names, in the list's order; several brackets in a name vary from the left, as in
/// Slurm: "r[1-2]n[1-2]" is r1n1 r1n2 r2n1 r2n2. Duplicates are kept. "" is no host.
/// @throws ClusterError naming the list and the column of what is wrong in it
std::vector<std::string> expand_hostlist(std::string_view list);

/// The shortest list in Slurm's notation: sorted by name and number, each host once. Names differ
/// in their last run of digits only: "n1 n2 n03" is "n[03,1-2]".
std::string compress_hostlist(const std::vector<std::string>& hosts);

/// Hosts of `list` (Slurm's notation) that are not in `removed`, in the list's order.
std::vector<std::string> without_hosts(const std::vector<std::string>& list,
                                       const std::vector<std::string>& removed);

/// The union in compact notation; either may be empty.
std::string union_of_hostlists(std::string_view one, std::string_view other);

}  // namespace longhaul::cluster
