// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ranks/rank_documents.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/dedup/stages/work.h"
#include "lib/io/json.h"

namespace longhaul::dedup {

namespace {

/// The first input of a rank: inputs go where their middle lies.
size_t first_input(const Inputs& inputs, int rank, int num_ranks) {
    const auto total = static_cast<__uint128_t>(inputs.total_bytes());
    const auto begin = total * static_cast<unsigned>(rank);
    __uint128_t before = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if ((2 * before + inputs[i].bytes) * static_cast<unsigned>(num_ranks) >= 2 * begin) {
            return i;
        }
        before += inputs[i].bytes;
    }
    return inputs.size();
}

}  // namespace

InputShare share_of(const Inputs& inputs, int rank, int num_ranks) {
    return {rank == 0 ? 0 : first_input(inputs, rank, num_ranks),
            rank + 1 == num_ranks ? inputs.size() : first_input(inputs, rank + 1, num_ranks)};
}

int RankDocuments::owner_of(uint64_t id) const {
    // The last rank that begins at or before the id: ranks without lines begin where the next does.
    const auto after = std::upper_bound(first_ids.begin(), first_ids.end() - 1, id);
    return static_cast<int>(after - first_ids.begin()) - 1;
}

RankDocuments gather_documents(comm::Comm& comm, InputShare share, const Signed& own) {
    const comm::Tag tag{-1, -1, "what was read"};
    const std::vector<std::string> metas = comm.gather_bytes(sign_meta(own), 0, tag);
    const std::string all = comm.broadcast_bytes(io::to_line(io::Json(metas)), 0, tag);
    const char* const source = "what a rank has read";
    RankDocuments documents;
    documents.share = share;
    documents.rank = comm.rank();
    uint64_t num_ids = 0;
    for (const io::Json& meta : io::parse_json(all, source)) {
        documents.first_ids.push_back(num_ids);
        Signed part = signed_from_meta(meta.get<std::string>(), source);
        for (Source& input : part.sources) {
            input.first_id = num_ids;
            num_ids += input.num_lines;
            documents.sources.push_back(input);
        }
        documents.bad.merge(part.bad);
        documents.num_records += part.num_records;
    }
    documents.first_ids.push_back(num_ids);
    return documents;
}

}  // namespace longhaul::dedup
