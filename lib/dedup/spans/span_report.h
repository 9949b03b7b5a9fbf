// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The report of `dedup-minhash spans`: one JSON object (dedup-minhash-spans.1, "REPORT") and a few
// lines for people.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/dedup/report.h"
#include "lib/dedup/spans/span_findings.h"
#include "lib/dedup/spans/span_options.h"
#include "lib/dedup/spans/span_reader.h"
#include "lib/io/json_fwd.h"

namespace longhaul::dedup {

/// Everything that the report tells.
struct SpanFacts {
    const SpanOptions& options;
    const Inputs& inputs;
    const SpanReading& reading;
    const SpanFindings& findings;
    const std::vector<StageCost>& stages;
    uint64_t spilled_bytes = 0;
};

io::Json span_report_json(const SpanFacts& facts);
/// "12345 documents in, 12000 out: removed 5000 of 91000 lines ..., and more lines.
std::vector<std::string> span_report_lines(const SpanFacts& facts);
/// Details of the manifest, one JSON object.
std::string span_details_json(const SpanReading& reading);

SpanCounts total_of(const std::vector<SpanCounts>& counts);

}  // namespace longhaul::dedup
