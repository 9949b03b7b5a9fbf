// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads inputs again, with marks on the lines that matter: makes the shingle sets of candidates in
// many threads and hands the batches on in order.

#include <functional>
#include <vector>

#include "lib/dedup/batch.h"
#include "lib/dedup/cluster.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/records.h"
#include "lib/io/task_queue.h"

namespace longhaul::dedup {

/// A line of a batch that needs a decision, or has one; all others stay.
struct Mark {
    size_t line = 0;
    bool is_candidate = false;     // its shingle set is wanted
    Decision decision;             // of one that is no candidate
    std::vector<Packed48> groups;  // of a candidate
    std::vector<uint64_t> set;     // of a candidate: sorted shingles
};

struct MarkedBatch {
    Batch batch;  // its ids count from 0 at the first of the inputs
    std::vector<Mark> marks;
};

struct SecondReading {
    const Inputs& inputs;
    const Options& options;
    const MemoryPlan& memory;
    std::function<void(MarkedBatch&)> attach;  // sets the marks, by line; called in input order
    std::function<void(MarkedBatch&)> take;    // in input order; the sets are made
    std::function<void(uint64_t)> on_bytes;    // told of stored bytes as they are read
    io::TaskQueue* tasks = nullptr;            // done by the threads too; may be null
};

/// @throws DataError when a candidate is no good record any more
void read_again(const SecondReading& reading);

}  // namespace longhaul::dedup
