// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Groups of equal documents and of equal band keys among the documents of all ranks. Each rank owns
// ranges of keys, which all ranks send to it, and tells the ranks that own the documents.

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/comm/comm.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/group.h"
#include "lib/dedup/options.h"
#include "lib/dedup/ranks/key_spools.h"
#include "lib/dedup/ranks/rank_documents.h"

namespace longhaul::dedup {

/// What a rank knows of its documents. Ids are those of the whole run; bits count from its first.
struct RankGroups {
    IdSet has_copies;                        // documents of this rank that have equal ones
    Spool<Fate> copies;                      // of them; Fate::kept is a document of this rank
    ExternalSorter<Membership> memberships;  // of documents of this rank; finished
    std::vector<bool> has_candidates;        // for each of its inputs
    GroupCounts counts;                      // of all ranks
    uint64_t num_copies = 0;                 // of all ranks
    /// --transitive, on rank 0: all groups.
    std::unique_ptr<Components> components;
};

/// Consumes keys.exact and keys.bands. Every rank calls it.
/// @param memory of this rank; half of sort_bytes belongs to `keys`
RankGroups group_over_ranks(comm::Comm& comm, const RankDocuments& documents,
                            const Options& options, const MemoryPlan& memory, SpillArea& area,
                            KeySpools& keys);

}  // namespace longhaul::dedup
