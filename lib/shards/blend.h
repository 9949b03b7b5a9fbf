// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A weighted blend of data sets as one sequence of samples. Sample number -> (set, sample number in
// that set) -> tokens is a pure function: state is one number, and any rank can compute any sample.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/shards/blend_order.h"
#include "lib/shards/dataset.h"
#include "lib/shards/sample_provider.h"
#include "lib/shards/sample_settings.h"
#include "lib/shards/set_samples.h"

namespace longhaul::shards {

/// Where a sample of the blend comes from.
struct SampleSource {
    size_t set = 0;             // index of the data set
    uint64_t sample = 0;        // its own sample number, counted over epochs
    uint64_t epoch = 0;         // of that set
    std::vector<Piece> pieces;  // of that set's stream
};

/// One data set of a blend: a folder and its weight (any positive number; shares are normalised).
struct BlendPart {
    std::filesystem::path folder;
    double weight = 1;
};

struct BlendOptions {
    uint64_t seq_len = 1024;  // tokens of a sample without the last target
    uint64_t seed = 0;        // of the data phase
    SampleSettings settings{};
    OpenOptions open{};          // of the folders; its cache outlives the blend
    bool reads_windows = false;  // will_need() in block order: of the whole window of blocks
};

/// Immutable after construction; all members may be called in parallel.
class Blend : public SampleProvider {
 public:
    /// @throws UsageError: no part, bad weight, different tokenizers, a set without a whole sample;
    /// DataError from Dataset.
    Blend(const std::vector<BlendPart>& parts, const BlendOptions& options);

    uint64_t seq_len() const { return options_.seq_len; }
    const SampleSettings& settings() const { return options_.settings; }
    const std::vector<Dataset>& sets() const { return sets_; }
    const BlendOrder& order() const { return *order_; }
    const SetSamples& samples(size_t set) const { return *samples_[set]; }
    /// Samples in one epoch of all sets together (what "one epoch" means for a single set).
    uint64_t num_samples() const;

    /// @param sample global sample number = cursor + j (DESIGN section 3, run.toml).
    SampleSource locate(uint64_t sample) const;
    void read(uint64_t sample, const SampleBuffers& out) const override;
    /// Asks the system to read ahead what the sample needs.
    void will_need(uint64_t sample) const override;

 private:
    void order_megatron(const std::vector<BlendPart>& parts);

    BlendOptions options_;
    std::vector<Dataset> sets_;
    std::vector<std::unique_ptr<SetSamples>> samples_;
    std::unique_ptr<BlendOrder> order_;
    SampleMaker maker_;
    std::unique_ptr<std::atomic<uint64_t>[]> windows_;  // by set: the last one asked for
};

}  // namespace longhaul::shards
