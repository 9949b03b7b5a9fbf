// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The counts of stage cluster as JSON, for the report that a later process writes.

#include <string>

#include "lib/dedup/cluster.h"
#include "lib/dedup/group.h"

namespace longhaul::dedup {

struct ClusterMeta {
    ClusterCounts counts;
    GroupCounts groups;
};

std::string to_text(const ClusterMeta& meta);
/// @throws DataError naming `source`
ClusterMeta cluster_meta(const std::string& text, const std::string& source);

}  // namespace longhaul::dedup
