// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/cluster_meta.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

/// Applies `visit(key, number)` to every number.
template <class Meta, class Visit>
void for_each(Meta& meta, Visit visit) {
    visit("exact", meta.counts.num_exact);
    visit("near", meta.counts.num_near);
    visit("compared", meta.counts.num_compared);
    visit("below_threshold", meta.counts.num_below_threshold);
    visit("unverified", meta.counts.num_unverified);
    visit("expected_misses", meta.counts.expected_misses);
    visit("jaccard_histogram", meta.counts.jaccard_histogram);
    visit("groups", meta.groups.num_groups);
    visit("largest_group", meta.groups.largest_group);
    visit("hot_groups", meta.groups.num_hot_groups);
}

}  // namespace

std::string to_text(const ClusterMeta& meta) {
    io::Json json;
    for_each(meta, [&](const char* key, const auto& value) { json[key] = value; });
    return io::to_line(json);
}

ClusterMeta cluster_meta(const std::string& text, const std::string& source) {
    const io::Json json = io::parse_json(text, source);
    ClusterMeta meta;
    for_each(meta, [&](const char* key, auto& value) {
        value = io::require<std::decay_t<decltype(value)>>(json, key, source);
    });
    return meta;
}

}  // namespace longhaul::dedup
