// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "lib/base/error.h"
#include "lib/base/units.h"

namespace longhaul::dedup {

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kProgramBytes = 12 * kMiB;  // code, libraries, small tables
constexpr uint64_t kThreadBytes = 2 * kMiB;    // normaliser tables, stream buffers
// A line passes through: reader, batch, decoded text, normalised text (3x), words, shingles.
constexpr uint64_t kBytesPerLineByte = 12;

uint64_t number_of(const char* text) {
    uint64_t value = 0;
    const std::string_view view(text);
    std::from_chars(view.data(), view.data() + view.size(), value);
    return value;
}

uint64_t mem_available_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    uint64_t kib = 0;
    for (std::string unit; file >> key >> kib; std::getline(file, unit)) {
        if (key == "MemAvailable:") return kib * 1024;
    }
    return 4096 * kMiB;
}

}  // namespace

uint64_t default_memory_bytes() {
    // MiB, set by Slurm for --mem; steps under a cgroup see the node's MemAvailable otherwise.
    if (const char* per_node = std::getenv("SLURM_MEM_PER_NODE")) {
        if (const uint64_t mib = number_of(per_node); mib > 0) return mib * kMiB / 2;
    }
    return std::max(mem_available_bytes() / 2, 256 * kMiB);
}

MemoryPlan plan_memory(const Options& options) {
    const auto threads = static_cast<uint64_t>(std::max(options.threads, 1));
    const uint64_t fixed = kProgramBytes + threads * kThreadBytes;
    const uint64_t longest = options.reader.max_line_bytes * kBytesPerLineByte;
    // The cap holds one line of the greatest length at a time; what is left is shared.
    const uint64_t needed = fixed + longest + 8 * kMiB;
    if (options.memory_bytes < needed) {
        throw UsageError(
            format("--memory {}: {} threads and lines of up to {} (--max-line) need at least {}",
                   human_bytes(options.memory_bytes), threads,
                   human_bytes(options.reader.max_line_bytes), human_bytes(needed)));
    }
    const uint64_t shared = options.memory_bytes - fixed;
    MemoryPlan plan;
    plan.in_flight_bytes = std::max(longest / 2, shared / 8) / kBytesPerLineByte * 2;
    plan.batch_bytes = std::clamp(plan.in_flight_bytes / (threads + 2), uint64_t{16} << 10, kMiB);
    // While documents are signed the sorters fill; afterwards the store takes over from them.
    const uint64_t rest = shared - std::max(longest, shared / 4);
    plan.sort_bytes = rest / 2;
    plan.store_bytes = rest / 4;
    return plan;
}

}  // namespace longhaul::dedup
