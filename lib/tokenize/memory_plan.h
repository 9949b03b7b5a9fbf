// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the memory of an encoding run is shared out.

#include <cstdint>

#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

struct MemoryPlan {
    /// What a byte of text may cost while it is under way: the text, its decoded form, up to one id
    /// of 4 bytes for each byte of it, and the same again while it is merged.
    static constexpr uint64_t kCostPerByte = 10;

    uint64_t num_units = 1;       // under way at once
    uint64_t document_bytes = 0;  // documents under way in all of them, at kCostPerByte
    uint64_t ahead_bytes = 0;     // frames unpacked ahead, in each
};

/// @param num_units that are to be done; few threads or little memory do fewer at once
/// @throws UsageError: --memory is too little for the threads and the longest line
MemoryPlan plan_memory(const EncodeJob& job, uint64_t num_units);

}  // namespace longhaul::tokenize
