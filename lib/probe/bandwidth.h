// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sizes and bandwidths as nccl-tests defines them, so that numbers can be compared with its tables.
// @source NVIDIA nccl-tests, doc/PERFORMANCE.md and the Get*Bw functions of src/*.cu

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::probe {

enum class Collective {
    kAllReduce,
    kAllGather,
    kReduceScatter,
    kAllToAll,
    kBroadcast,
    kSendRecv,  // every rank sends to the next and receives from the previous one
};

/// "all-reduce", "send-recv", ...
const char* collective_name(Collective collective);
/// Also accepts underscores. @return nothing when the name is unknown.
std::optional<Collective> collective_from_name(std::string_view name);
const std::vector<Collective>& all_collectives();

/// busbw / algbw for `ranks` ranks: what makes the figure comparable with the speed of a link.
/// 0 for one rank, where nothing crosses any link.
double bus_factor(Collective collective, int ranks);

struct Bandwidth {
    double algbw_gb_per_s = 0;  // GB = 1e9 bytes
    double busbw_gb_per_s = 0;
};
/// @param size_bytes the table's "size": the larger of what a rank sends and receives.
Bandwidth bandwidth(Collective collective, uint64_t size_bytes, int ranks, double seconds);

/// Elements of `element_bytes` that one rank contributes when the table's size is `size_bytes`.
/// Collectives that split the buffer by rank round down to whole 16-byte blocks, as nccl-tests.
uint64_t elements_per_rank(Collective collective, uint64_t size_bytes, uint64_t element_bytes,
                           int ranks);
/// The size really moved for that count: what the table shows.
uint64_t table_size_bytes(Collective collective, uint64_t elements, uint64_t element_bytes,
                          int ranks);

/// Sizes from `begin` to `end` inclusive: times `factor` (> 1), or plus `step` when step > 0.
std::vector<uint64_t> sweep_sizes(uint64_t begin, uint64_t end, double factor, uint64_t step);

}  // namespace longhaul::probe
