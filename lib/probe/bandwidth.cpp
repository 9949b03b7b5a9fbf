// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/bandwidth.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"

namespace longhaul::probe {

namespace {

constexpr uint64_t kBlockBytes = 16;  // nccl-tests aligns a rank's part to 16 bytes

bool is_split_by_rank(Collective collective) {
    return collective == Collective::kAllGather || collective == Collective::kReduceScatter ||
           collective == Collective::kAllToAll;
}

}  // namespace

const char* collective_name(Collective collective) {
    switch (collective) {
        case Collective::kAllReduce:
            return "all-reduce";
        case Collective::kAllGather:
            return "all-gather";
        case Collective::kReduceScatter:
            return "reduce-scatter";
        case Collective::kAllToAll:
            return "all-to-all";
        case Collective::kBroadcast:
            return "broadcast";
        case Collective::kSendRecv:
            return "send-recv";
    }
    return "?";
}

const std::vector<Collective>& all_collectives() {
    static const std::vector<Collective> all = {Collective::kAllReduce,     Collective::kAllGather,
                                                Collective::kReduceScatter, Collective::kAllToAll,
                                                Collective::kBroadcast,     Collective::kSendRecv};
    return all;
}

std::optional<Collective> collective_from_name(std::string_view name) {
    std::string wanted(name);
    std::replace(wanted.begin(), wanted.end(), '_', '-');
    for (const Collective collective : all_collectives()) {
        if (wanted == collective_name(collective)) return collective;
    }
    return std::nullopt;
}

double bus_factor(Collective collective, int ranks) {
    const double n = ranks;
    if (ranks < 2) return 0;
    if (collective == Collective::kAllReduce) return 2 * (n - 1) / n;
    return is_split_by_rank(collective) ? (n - 1) / n : 1;
}

Bandwidth bandwidth(Collective collective, uint64_t size_bytes, int ranks, double seconds) {
    if (seconds <= 0) return {};
    const double algbw = static_cast<double>(size_bytes) / seconds / 1e9;
    return {algbw, algbw * bus_factor(collective, ranks)};
}

uint64_t elements_per_rank(Collective collective, uint64_t size_bytes, uint64_t element_bytes,
                           int ranks) {
    const uint64_t elements = size_bytes / element_bytes;
    if (!is_split_by_rank(collective)) return elements;
    const uint64_t block = std::max<uint64_t>(1, kBlockBytes / element_bytes);
    return elements / static_cast<uint64_t>(ranks) / block * block;
}

uint64_t table_size_bytes(Collective collective, uint64_t elements, uint64_t element_bytes,
                          int ranks) {
    const uint64_t parts = is_split_by_rank(collective) ? static_cast<uint64_t>(ranks) : 1;
    return elements * element_bytes * parts;
}

std::vector<uint64_t> sweep_sizes(uint64_t begin, uint64_t end, double factor, uint64_t step) {
    if (begin == 0 || end < begin) {
        throw UsageError(
            format("sizes must satisfy 0 < begin <= end: begin {}, end {}", begin, end));
    }
    if (end > (uint64_t{1} << 42)) throw UsageError("sizes above 4 TiB make no sense");
    if (step == 0 && factor <= 1) throw UsageError("the step factor must be above 1");
    std::vector<uint64_t> sizes;
    for (uint64_t size = begin; size <= end;) {
        sizes.push_back(size);
        const uint64_t next =
            step > 0 ? size + step
                     : static_cast<uint64_t>(std::llround(static_cast<double>(size) * factor));
        size = std::max(next, size + 1);
    }
    return sizes;
}

}  // namespace longhaul::probe
