// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output of a run over ranks: each writes the files of its inputs; rank 0 joins the rest.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/dedup/conclude.h"
#include "lib/dedup/ranks/rank_context.h"
#include "lib/dedup/ranks/rank_decisions.h"
#include "lib/dedup/ranks/rank_documents.h"
#include "lib/dedup/spool.h"

namespace longhaul::dedup {

class RankOutput {
 public:
    RankOutput(const RankContext& context, RankDocuments& documents, Target target);

    /// Reads this rank's inputs again and writes what stays. Consumes `decisions`.
    /// @param on_bytes told of stored bytes as they are read
    void write(ExternalSorter<DecisionRow>& decisions,
               const std::function<void(uint64_t)>& on_bytes);
    /// Every rank calls it: counts and files of all ranks go into `outcome` of rank 0, where also
    /// the removal list is written and the survey made.
    void gather(Outcome& outcome);

 private:
    void gather_counts(Outcome& outcome);
    void gather_list(Outcome& outcome);
    void gather_survey(Outcome& outcome);

    const RankContext& context_;
    RankDocuments& documents_;
    Target target_;
    std::vector<record::FileEntry> entries_;
    SpillFile list_;  // this rank's lines of the removal list
    uint64_t num_listed_ = 0;
    Spool<DecisionRow> removed_;  // for the survey
};

}  // namespace longhaul::dedup
