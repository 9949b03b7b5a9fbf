// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writing a checkpoint anew in another layout: streaming, within a memory cap, resumable, and
// proven by fingerprints to hold the same values.

#include <cstdint>
#include <filesystem>
#include <functional>

#include "lib/ckpt/load.h"
#include "lib/ckpt/reshard_plan.h"

namespace longhaul::ckpt {

struct ReshardOptions {
    Layout layout;
    std::optional<tensor::DType> master_dtype;  // cast the master weights
    uint64_t memory_bytes = 1ull << 30;         // buffers and cache; not manifests and plan
    int threads = 1;
    bool force = false;                               // replace a different destination
    std::function<void(uint64_t bytes)> on_progress;  // thread-safe; payload bytes just finished
};

struct ReshardResult {
    Hash128 self;
    bool was_complete = false;  // the destination was there already
    uint64_t bytes_written = 0;
    uint64_t bytes_resumed = 0;  // found written by an earlier, interrupted run
    uint64_t bytes_read = 0;
    double seconds = 0;
};

/// Limits that follow from a memory cap; the plan depends on max_slice_bytes.
struct MemoryShares {
    uint64_t max_slice_bytes = 0;  // of the target
    uint64_t cache_bytes = 0;
    uint64_t max_cached_slice_bytes = 0;  // a longer source slice is streamed past the cache
};
MemoryShares share_memory(uint64_t memory_bytes, int threads);

/// Writes `destination` in `options.layout`. An unfinished earlier attempt with the same source and
/// options is resumed: slices whose bytes still hash right are kept. A complete destination with
/// the same content returns at once; any other one is a UsageError unless `force`.
/// @throws DataError for damaged sources; then the destination is untouched.
ReshardResult reshard(const Checkpoint& source, const std::filesystem::path& destination,
                      const ReshardOptions& options);

}  // namespace longhaul::ckpt
