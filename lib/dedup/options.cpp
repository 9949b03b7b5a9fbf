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
// What is decompressed is still in the second-level cache when its lines are scanned.
constexpr uint64_t kMostBatchBytes = kMiB / 4;
constexpr uint64_t kThreadBytes = 2 * kMiB;  // normaliser tables, stream buffers
constexpr uint64_t kBytesPerLineByte = MemoryPlan::kBytesPerLineByte;
// The same for the recipes of other programs: texts of several steps 5, places of words 8 (bigcode
// has a word at every separator), hashes 8, the set 8, a second line 8; and reader and batch.
constexpr uint64_t kOtherBytesPerLineByte = 42;

uint64_t bytes_per_line_byte(const Parameters& parameters) {
    const bool is_ours =
        parameters.recipe == Recipe::kFineweb && parameters.scheme == Scheme::kNative;
    return is_ours ? kBytesPerLineByte : kOtherBytesPerLineByte;
}

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

/// Ranks of the same job step on this host, which share its memory. Open MPI, MPICH, Slurm
/// ("4(x2)": of each host; the first number will do).
uint64_t num_ranks_here() {
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"}) {
        const char* const text = std::getenv(name);
        if (text != nullptr && number_of(text) > 0) return number_of(text);
    }
    return 1;
}

/// The least that a run can do with.
uint64_t least_memory_bytes(const Options& options) {
    const auto threads = static_cast<uint64_t>(std::max(options.threads, 1));
    return kProgramBytes + threads * kThreadBytes +
           options.reader.max_line_bytes * bytes_per_line_byte(options.parameters) + 8 * kMiB;
}

}  // namespace

uint64_t default_memory_bytes(const Options& options) {
    uint64_t usable = mem_available_bytes() / 2;
    // MiB, set by Slurm for --mem; in a job's cgroup MemAvailable is still that of the node.
    if (const char* per_node = std::getenv("SLURM_MEM_PER_NODE")) {
        if (const uint64_t mib = number_of(per_node); mib > 0) usable = mib * kMiB / 2;
    }
    return std::max(usable / num_ranks_here(), least_memory_bytes(options));
}

MemoryPlan plan_memory(const Options& options) {
    const auto threads = static_cast<uint64_t>(std::max(options.threads, 1));
    if (options.memory_bytes < least_memory_bytes(options)) {
        throw UsageError(format(
            "--memory {}: {} threads and lines of up to {} (--max-line) need at least {}MiB",
            human_bytes(options.memory_bytes), threads, human_bytes(options.reader.max_line_bytes),
            (least_memory_bytes(options) + kMiB - 1) / kMiB));
    }
    const uint64_t shared = options.memory_bytes - kProgramBytes - threads * kThreadBytes;
    const uint64_t per_byte = bytes_per_line_byte(options.parameters);
    const uint64_t longest = options.reader.max_line_bytes * per_byte;
    // One line of the greatest length at a time must pass; ordinary batches share that room.
    const uint64_t lines = std::max(longest, shared / 4);
    MemoryPlan plan;
    plan.in_flight_bytes = lines / per_byte;
    plan.batch_bytes =
        std::clamp(plan.in_flight_bytes / (threads + 2), uint64_t{16} << 10, kMostBatchBytes);
    // While documents are signed the sorters fill; afterwards the store takes over from them.
    plan.sort_bytes = (shared - lines) / 2;
    plan.store_bytes = (shared - lines) / 4;
    return plan;
}

}  // namespace longhaul::dedup
