// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who keeps the others waiting, from the ring dumps that the ranks of train-run wrote when a call
// did not return (longhaul-run-directory.5, ring/rank-%05d.json).

#include <cstdint>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

/// One call of a rank.
struct RingCall {
    uint64_t sequence = 0;  // within its group
    std::string axis;
    std::vector<int> group;  // world ranks
    std::string op;          // "all_reduce", "send", ...
    std::string what;
    int64_t step = -1;
    int64_t block = -1;
    uint64_t size_bytes = 0;
    int peer = -1;
    std::string state;  // "posted", "started", "done"
    double posted_s = 0;

    bool is_done() const { return state == "done"; }
};

struct RingDump {
    int rank = 0;
    int world_size = 1;
    std::string host;
    double written_s = 0;
    std::vector<RingCall> calls;  // oldest first
};

/// @throws DataError naming `source` and the member
RingDump ring_dump_from_json(const io::Json& json, const std::string& source);

/// Reads rank-*.json of each folder (a run directory, or its ring folder) or file.
/// @throws DataError when there is none, or dumps disagree about the world
std::vector<RingDump> read_ring_dumps(const std::vector<std::string>& paths);

/// The ranks that others wait for and that wait for nobody themselves; ranks whose calls differ
/// from the others'; else where the network stands still.
std::vector<record::Finding> find_hang(const std::vector<RingDump>& dumps);

}  // namespace longhaul::probe
