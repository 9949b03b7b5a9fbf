// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the tokens of a sample number come from: token shards, or numbers made up in tests.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/shards/cursor.h"
#include "lib/shards/sample_provider.h"
#include "lib/train/config.h"

namespace longhaul::train {

using shards::DataCursor;
using shards::DataPhase;
using shards::SkipRange;

/// What must agree between the model and its data.
struct DataIdentity {
    std::vector<std::string> folders;
    std::vector<std::string> hashes;  // of the manifests, hex
    std::string tokenizer_hash;       // hex
    int64_t vocab_size = 0;
    uint64_t num_tokens = 0;
    uint64_t num_windows = 0;  // samples of one epoch
};

/// Thread-safe after construction. Targets are negative where they do not count.
class SampleReader : public shards::SampleProvider {
 public:
    virtual const DataIdentity& identity() const = 0;
};

/// The keys of [data] that make samples, with data.order_samples derived. @throws UsageError
shards::SampleSettings sample_settings_of(const TrainConfig& config);

/// The training set in the order of the run's phase. @param blend_version of that phase.
/// @throws UsageError, DataError from lib/shards.
std::unique_ptr<SampleReader> open_training_data(const TrainConfig& config,
                                                 int64_t blend_version = shards::kExactBlend);
/// The validation set: always shuffled, in the order of phase 0, made into samples like the
/// training set.
std::unique_ptr<SampleReader> open_validation_data(const TrainConfig& config);

/// The phase that `config` describes, beginning at `first_step`.
DataPhase phase_of(const TrainConfig& config, const DataIdentity& identity, int64_t first_step);

/// The cursor's ranges of data.skip. @throws UsageError
std::vector<SkipRange> skip_ranges_of(const DataConfig& data);

}  // namespace longhaul::train
