// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replays the steps of a run at several world sizes, with restarts, and looks whether what must
// hold does: what `tok-shard loader --check` reports.

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/record/finding.h"
#include "lib/shards/blend.h"
#include "lib/shards/cursor.h"
#include "lib/tensor/box.h"

namespace longhaul::shards {

struct ReplayOptions {
    int64_t steps = 1000;
    int64_t global_batch = 8;
    int64_t micro_batch = 4;
    std::vector<SkipRange> skip;
    /// Data-parallel ranks; those above global_batch are left out. Restarts take any number from 1
    /// to the largest.
    std::vector<int64_t> world_sizes = {1, 2, 3, 4, 8, 16, 32, 64};
    /// A rank's part of a batch, as train-run takes it; tests put wrong ones here.
    std::function<tensor::Range(int64_t total, int64_t parts, int64_t index)> split =
        tensor::split_evenly;
    /// Where a sample comes from; none: Blend::locate. Likewise.
    std::function<SampleSource(uint64_t sample)> locate;
    int64_t read_steps = 8;  // steps of which the tokens are read too
};

struct ReplayResult {
    std::vector<record::Finding> findings;
    Hash128 order;  // of (sample, set, own number, tokens) over all steps
    uint64_t samples = 0;
    double blend_error = 0;  // largest distance of a set from its share, in samples
};

/// Takes the places of the data in a batch exactly as train-run does: by DataCursor and
/// tensor::split_evenly. Findings: loader.ranks, loader.order, loader.restarts, loader.skip,
/// loader.epochs, loader.blend, loader.content. @throws DataError when shards cannot be read.
ReplayResult replay(const Blend& blend, const ReplayOptions& options);

}  // namespace longhaul::shards
