// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run reports about its clusters: their sizes, the largest ones, and pairs of texts to look
// at.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/dedup/cluster.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/removal_list.h"

namespace longhaul::dedup {

/// A removed document under the one that stays.
struct ClusterRecord {
    Packed48 kept;
    Packed48 removed;
    bool operator<(const ClusterRecord& other) const {
        const uint64_t a = kept.value(), b = other.kept.value();
        return a != b ? a < b : removed.value() < other.removed.value();
    }
};

struct ClusterSample {
    uint64_t kept = 0;
    uint64_t size = 0;              // with the kept one
    std::vector<uint64_t> members;  // the first removed ones
};

struct Survey {
    std::map<uint64_t, uint64_t> sizes;     // size of a cluster (from 2) -> number of clusters
    std::vector<ClusterSample> largest;     // at most kLargest, the largest first
    std::vector<Decision> pairs;            // chosen removals, by falling difference
    std::map<uint64_t, std::string> texts;  // of the documents in `largest` and `pairs`
};

/// Collects removals, then surveys them.
class Surveyor {
 public:
    static constexpr size_t kLargest = 10;
    static constexpr size_t kMembers = 3;

    /// @param num_pairs pairs wanted; chosen by a hash of their ids, near duplicates first
    Surveyor(SpillArea& area, uint64_t memory_bytes, size_t num_pairs)
        : records_(area, memory_bytes), num_pairs_(num_pairs) {}

    void add(const Decision& decision);
    Survey finish();

 private:
    void close_cluster(Survey& survey, const ClusterSample& cluster) const;

    ExternalSorter<ClusterRecord> records_;
    size_t num_pairs_;
    std::map<std::pair<bool, uint64_t>, Decision> pairs_;  // by (is exact, hash of the ids)
};

/// Reads the texts that the survey names (at most `max_bytes` of each, cut at a character) into
/// survey.texts: a third, partial reading of the inputs concerned.
void read_texts(Survey& survey, const Inputs& inputs, const std::vector<Source>& sources,
                const Options& options, size_t max_bytes);

/// Pairs side by side, two columns, for people.
std::string pairs_side_by_side(const Survey& survey, const Inputs& inputs,
                               const std::vector<Source>& sources, size_t max_pairs);

}  // namespace longhaul::dedup
