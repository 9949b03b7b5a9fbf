// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What gives the samples of a run by their numbers.

#include <cstdint>

#include "lib/shards/sample.h"

namespace longhaul::shards {

/// Implementations may be asked by several threads at a time.
class SampleProvider {
 public:
    virtual ~SampleProvider() = default;
    /// @throws DataError, IoError when the sample cannot be read.
    virtual void read(uint64_t sample, const SampleBuffers& out) const = 0;
    /// A hint that the sample is read soon. Never throws for what read() would report.
    virtual void will_need(uint64_t) const {}
};

}  // namespace longhaul::shards
