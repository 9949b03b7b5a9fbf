// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a pairwise test measured: one entry per pair of members, and its JSON form
// (nccl-probe.1, "PAIRS FORMAT").

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/io/json_fwd.h"

namespace longhaul::probe {

/// One pair of members (indices into PairMatrix::members), both directions.
struct PairSample {
    int a = 0;
    int b = 0;
    double a_to_b_gb_per_s = 0;  // median of the iterations
    double b_to_a_gb_per_s = 0;
    double latency_us = 0;       // half a round trip of 8 bytes, median
    double noise = 0;            // relative spread (scaled MAD / median) between iterations
    bool is_missing = false;     // no answer before the deadline
    bool is_wrong_data = false;  // the bytes that arrived differ from those sent
    double alone_gb_per_s = 0;   // slower direction, measured again with all others idle; 0: not

    /// The slower direction.
    double gb_per_s() const {
        return a_to_b_gb_per_s < b_to_a_gb_per_s ? a_to_b_gb_per_s : b_to_a_gb_per_s;
    }
};

struct PairMatrix {
    std::string unit = "host";  // what a member is: "host" or "rank"
    std::vector<std::string> members;
    uint64_t message_bytes = 0;
    int rounds = 0;
    std::vector<PairSample> pairs;
    std::vector<int> silent;  // members that stopped answering at all
};

io::Json to_json(const PairMatrix& matrix);
/// @throws DataError naming `source` and the member or pair that is wrong.
PairMatrix pair_matrix_from_json(const io::Json& json, const std::string& source);

/// The matrix of bandwidths (upper right: row to column, lower left: the other direction) and of
/// latencies, as aligned text for people.
std::string to_text(const PairMatrix& matrix);

}  // namespace longhaul::probe
