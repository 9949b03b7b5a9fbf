// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the tokens of a sample number come from: token shards, or numbers made up in tests.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/train/config.h"
#include "lib/train/cursor.h"

namespace longhaul::train {

/// What must agree between the model and its data.
struct DataIdentity {
    std::vector<std::string> folders;
    std::vector<std::string> hashes;  // of the manifests, hex
    std::string tokenizer_hash;       // hex
    int64_t vocab_size = 0;
    uint64_t num_tokens = 0;
    uint64_t num_windows = 0;  // samples of one epoch
};

/// Thread-safe after construction.
class SampleReader {
 public:
    virtual ~SampleReader() = default;
    virtual const DataIdentity& identity() const = 0;
    /// Both of seq_len tokens; targets[i] follows tokens[i], negative where it does not count.
    virtual void read(uint64_t sample, std::span<int32_t> tokens,
                      std::span<int32_t> targets) const = 0;
};

/// The training set in the order of `phase` of a run. @throws UsageError, DataError from
/// lib/shards.
std::unique_ptr<SampleReader> open_training_data(const DataConfig& data, uint64_t seed);
/// The validation set: always in the order of phase 0.
std::unique_ptr<SampleReader> open_validation_data(const DataConfig& data, uint64_t seed);

/// The phase that `data` describes, beginning at `first_step`.
DataPhase phase_of(const DataConfig& data, const DataIdentity& identity, int64_t first_step);

}  // namespace longhaul::train
