// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What goes, of the documents of all ranks. Each rank makes the shingle sets of its candidates,
// side by side; rank 0 takes them one rank after the other, in input order, and decides, because
// every decision rests on those before.

#include <functional>

#include "lib/dedup/cluster.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/ranks/candidate_stream.h"
#include "lib/dedup/ranks/rank_context.h"
#include "lib/dedup/ranks/rank_documents.h"
#include "lib/dedup/ranks/rank_groups.h"

namespace longhaul::dedup {

/// Reads this rank's inputs that hold candidates again. Consumes groups.memberships and `orders`.
/// @param on_bytes told of stored bytes as they are read
CandidateWriter read_candidates(const RankContext& context, const RankDocuments& documents,
                                RankGroups& groups, Spool<OrderRow>& orders,
                                const std::function<void(uint64_t)>& on_bytes);

struct RankDecisions {
    /// Documents of this rank that go, bad records among them; finished. Ids are those of the run.
    ExternalSorter<DecisionRow> rows;
    ClusterCounts counts;  // on rank 0
};
/// Every rank calls it. Consumes groups.copies and `bad`, whose ids count from 0 at the rank's
/// first.
/// @throws AgreedError when rank 0 has too little memory for the groups
RankDecisions decide_over_ranks(const RankContext& context, const RankDocuments& documents,
                                RankGroups& groups, const CandidateWriter& candidates,
                                Spool<Fate>& bad);

}  // namespace longhaul::dedup
