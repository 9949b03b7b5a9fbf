// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A rank's part of the batches that come next, read while the step before them runs.

#include <memory>

#include "lib/shards/prefetcher.h"
#include "lib/tensor/box.h"
#include "lib/train/sample_reader.h"

namespace longhaul::train {

class ReadAhead {
 public:
    /// @param reader outlives this. @param data says how many batches; none: samples are read when
    /// they are asked for. @param document_begins whether a step asks for them.
    ReadAhead(const SampleReader& reader, const DataConfig& data, bool document_begins);

    /// Of one rank, on the host. @param num_samples of the rank in a batch.
    static uint64_t memory_bytes(const DataConfig& data, int64_t num_samples, bool document_begins);

    /// Before each step. What comes of the step does not matter: the cursor moves on anyway.
    /// @param mine places of this rank in a batch.
    void announce(const DataCursor& cursor, const tensor::Range& mine);
    const shards::SampleProvider& samples() const;

 private:
    const SampleReader& reader_;
    int64_t batch_, num_batches_;
    std::unique_ptr<shards::Prefetcher> prefetcher_;
};

}  // namespace longhaul::train
