// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which samples a step shows: one cursor over sample numbers with ranges that are left out. A pure
// function of its state, so that a run may go on at another number of ranks.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/json_fwd.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::shards {

/// Sample numbers [first, last] that are never shown.
struct SkipRange {
    uint64_t first = 0, last = 0;
    bool operator==(const SkipRange&) const = default;
};
/// "120-135" or "7". @throws UsageError naming data.skip.
SkipRange parse_skip_range(const std::string& text);
/// How many sample numbers from `first` on are passed to show `count` samples.
uint64_t numbers_passed(uint64_t count, const std::vector<SkipRange>& skip, uint64_t first = 0);
/// data.order_samples where it is not given: those of the run.
/// @throws UsageError when data.skip makes the run pass more, so that it must be given
int64_t default_order_samples(int64_t num_samples, const std::vector<SkipRange>& skip);

/// A stretch of training on the same data with the same batch; ends where the next one begins.
struct DataPhase {
    int64_t number = 0;             // data.phase
    int64_t first_step = 0;         // updates done when it began
    std::vector<std::string> data;  // manifest hashes of the folders, hex
    std::string tokenizer;          // hash of the tokenizer, hex
    std::vector<double> weights;
    int64_t seq_len = 0;
    int64_t global_batch = 0;
    SampleSettings samples{};
    bool operator==(const DataPhase&) const = default;
};

class DataCursor {
 public:
    DataCursor() = default;
    DataCursor(DataPhase first_phase, std::vector<SkipRange> skip);

    const std::vector<DataPhase>& phases() const { return phases_; }
    const DataPhase& phase() const { return phases_.back(); }
    const std::vector<SkipRange>& skip() const { return skip_; }
    /// The lowest sample number that was not passed yet.
    uint64_t next_sample() const { return next_sample_; }

    /// The next `count` sample numbers, without moving.
    std::vector<uint64_t> peek(int64_t count) const;
    /// Moves past them.
    void advance(const std::vector<uint64_t>& samples);
    /// Begins a new phase: its samples count from 0. @throws UsageError unless its number is
    /// higher.
    void begin_phase(DataPhase phase);
    void set_skip(std::vector<SkipRange> skip);

    io::Json to_json() const;
    /// @throws DataError naming `source` and the member.
    static DataCursor from_json(const io::Json& json, const std::string& source);

    bool operator==(const DataCursor&) const = default;

 private:
    uint64_t next_sample_ = 0;
    std::vector<SkipRange> skip_;  // sorted, disjoint
    std::vector<DataPhase> phases_;
};

/// Says in a log which data samples came from: manifest hashes of the folders, and their weights
/// (empty: all alike).
Hash128 data_fingerprint(const std::vector<std::string>& data, const std::vector<double>& weights);

/// The seed of the order of samples in a phase: each phase shuffles anew. Megatron's has 32 bits,
/// so the order of a later phase is one that Megatron gives for another --seed.
uint64_t order_seed(uint64_t seed, int64_t phase, OrderKind order);

}  // namespace longhaul::shards
