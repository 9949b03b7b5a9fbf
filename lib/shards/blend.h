// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A weighted blend of data sets as one sequence of samples. Sample number -> (set, sample number in
// that set) is a pure function; after each block of 1/(smallest share) samples every set is less
// than one sample away from its share, and inside a block the sets alternate evenly.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/shards/dataset.h"
#include "lib/shards/order.h"

namespace longhaul::shards {

/// Where a sample of the blend comes from.
struct SampleSource {
    size_t set = 0;            // index of the data set
    uint64_t sample = 0;       // its own sample number, counted over epochs
    uint64_t epoch = 0;        // of that set
    uint64_t first_token = 0;  // of its window in that set's stream
};

/// One data set of a blend: a folder and its weight (any positive number; shares are normalised).
struct BlendPart {
    std::filesystem::path folder;
    double weight = 1;
};

/// Immutable after construction; all members may be called in parallel.
class Blend {
 public:
    /// @param seq_len tokens of a sample without the last target.
    /// @throws UsageError: no part, bad weight, different tokenizers; DataError from Dataset.
    Blend(const std::vector<BlendPart>& parts, uint64_t seq_len, uint64_t seed);

    uint64_t seq_len() const { return seq_len_; }
    const std::vector<Dataset>& sets() const { return sets_; }
    /// Samples in one epoch of all sets together (what "one epoch" means for a single set).
    uint64_t num_windows() const;

    /// @param sample global sample number = cursor + j (DESIGN section 3, run.toml).
    SampleSource locate(uint64_t sample) const;
    /// The tokens of a sample: out has seq_len + 1 elements; inputs are the first seq_len, targets
    /// the last seq_len.
    void read(uint64_t sample, std::span<int32_t> out) const;
    /// Positions in [0, seq_len] of the sample at which a document starts, ascending.
    std::vector<uint32_t> document_starts(uint64_t sample) const;

 private:
    uint64_t seq_len_, block_ = 1;
    std::vector<Dataset> sets_;
    std::vector<SampleOrder> orders_;
    std::vector<uint64_t> cumulative_;  // shares as integers over kShareUnit, cumulated
};

}  // namespace longhaul::shards
