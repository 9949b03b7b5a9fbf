// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which rank reads which inputs, and what all ranks know of all documents after the first reading.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/comm/comm.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/sign.h"

namespace longhaul::dedup {

/// Inputs from `begin` on below `end`.
struct InputShare {
    size_t begin = 0;
    size_t end = 0;
};
/// Neighbouring inputs, about as many bytes for each rank; a file is never cut. So ids grow from
/// rank to rank.
InputShare share_of(const Inputs& inputs, int rank, int num_ranks);

struct RankDocuments {
    InputShare share;  // of this rank
    int rank = 0;
    std::vector<Source> sources;      // of all inputs; their first_id is set
    std::vector<uint64_t> first_ids;  // of each rank's documents, and the number of ids
    corpus::BadRecords bad;
    uint64_t num_records = 0;  // good and bad

    uint64_t num_ids() const { return first_ids.back(); }
    uint64_t first_own() const { return first_ids[static_cast<size_t>(rank)]; }
    uint64_t num_own() const { return first_ids[static_cast<size_t>(rank) + 1] - first_own(); }
    std::span<Source> own_sources() {
        return std::span(sources).subspan(share.begin, share.end - share.begin);
    }
    /// The rank that read a document.
    int owner_of(uint64_t id) const;
};

/// Tells all ranks what each has read.
RankDocuments gather_documents(comm::Comm& comm, InputShare share, const Signed& own);

}  // namespace longhaul::dedup
