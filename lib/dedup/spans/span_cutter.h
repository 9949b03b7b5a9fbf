// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The second reading of `dedup-minhash spans`: cuts the passages out of the lines; all other bytes
// stay as they are.

#include <functional>
#include <vector>

#include "lib/dedup/inputs.h"
#include "lib/dedup/output.h"
#include "lib/dedup/spans/span_findings.h"
#include "lib/dedup/spans/span_list.h"
#include "lib/dedup/spans/span_options.h"
#include "lib/dedup/spans/span_reader.h"

namespace longhaul::dedup {

/// Everything the second reading needs; all must outlive cut_spans().
struct CutContext {
    const Inputs& inputs;
    const SpanOptions& options;
    const MemoryPlan& memory;
    SpanFindings& findings;  // its samples get their texts
    OutputWriter& output;
    SpanList& list;
    std::function<void(uint64_t)> on_bytes;
};

/// @param reading gets the counts of what was removed
/// @throws DataError when an input has changed since the first reading
void cut_spans(const CutContext& context, SpanReading& reading);

}  // namespace longhaul::dedup
