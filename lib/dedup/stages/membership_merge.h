// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memberships of all parts of stage group, merged in the order of documents.

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "lib/dedup/group.h"
#include "lib/dedup/stages/work.h"

namespace longhaul::dedup {

class MembershipMerge {
 public:
    /// @param memory_bytes for the buffers of all parts
    MembershipMerge(const Work& work, const Documents& documents, uint64_t memory_bytes);

    const GroupCounts& counts() const { return counts_; }
    /// Candidates of `unit` follow.
    void open_unit(uint64_t unit);
    /// @return false at the end of the unit
    bool next(Candidate& candidate);

 private:
    struct Head {
        Membership membership;
        size_t part;
        bool operator<(const Head& other) const { return other.membership < membership; }
    };
    void advance(size_t part);

    const Documents& documents_;
    size_t buffer_bytes_;
    std::vector<StageReader> parts_;
    std::vector<uint64_t> first_groups_;  // of each part
    std::vector<uint64_t> num_groups_;
    std::vector<RecordReader<Membership>> readers_;
    std::priority_queue<Head> heads_;
    uint64_t unit_ = 0;
    GroupCounts counts_;
};

}  // namespace longhaul::dedup
