// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/memory_plan.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/units.h"

namespace longhaul::tokenize {

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
/// The program, the tokenizer, buffers of files.
constexpr uint64_t kBase = 128 * kMiB;
/// A worker holds its cache (32 MiB) and merge tables.
constexpr uint64_t kPerThread = 64 * kMiB;
/// A reader and the thread that writes use an eighth of what a worker does; unpacking about as
/// much.
constexpr uint64_t kThreadsPerUnit = 4;

}  // namespace

MemoryPlan plan_memory(const EncodeJob& job, uint64_t num_units) {
    const uint64_t threads = static_cast<uint64_t>(job.threads);
    const uint64_t fixed = kBase + threads * kPerThread;
    // The longest line passes alone; while it is read it is there twice, in each unit.
    const uint64_t longest = MemoryPlan::kCostPerByte * job.reader.max_line_bytes;
    const uint64_t reading = std::max<uint64_t>(2 * job.reader.max_line_bytes, 1);
    const uint64_t least = std::max(longest + reading, 64 * kMiB);
    if (job.memory_bytes > 0 && job.memory_bytes < fixed + least) {
        throw UsageError(
            format("--memory: {} threads and lines of up to {} (--max-line) need {} MiB or more",
                   job.threads, human_bytes(job.reader.max_line_bytes),
                   (fixed + least + kMiB - 1) / kMiB));
    }
    const uint64_t total = job.memory_bytes > 0 ? job.memory_bytes : (896 + threads * 112) * kMiB;
    const uint64_t room = std::max(total, fixed + least) - fixed;
    const uint64_t for_units = room - room / 8;
    const uint64_t by_memory = for_units > longest ? (for_units - longest) / reading : 1;
    MemoryPlan plan;
    plan.num_units =
        std::max<uint64_t>(std::min({num_units, threads / kThreadsPerUnit, by_memory}), 1);
    const uint64_t shared = room - plan.num_units * reading;
    const uint64_t ahead = std::min(room / 4, shared - longest);
    plan.document_bytes = shared - ahead;
    // A frame that is being cut off takes as much again.
    plan.ahead_bytes = ahead / plan.num_units / 2;
    return plan;
}

}  // namespace longhaul::tokenize
