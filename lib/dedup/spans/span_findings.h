// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What was found to go, before the second reading.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/dedup/spans/span_records.h"
#include "lib/dedup/stages/record_file.h"

namespace longhaul::dedup {

/// A passage that goes more than once.
struct FrequentSpan {
    uint64_t num_removed = 0;
    uint64_t removed_bytes = 0;
    Cut sample;        // the first removed copy
    std::string text;  // its first bytes, from the second reading
};

/// Keeps those that go most often, or those of which the most bytes go.
class FrequentSpans {
 public:
    static constexpr size_t kKept = 10;
    enum class By : uint8_t { kCopies, kBytes };

    explicit FrequentSpans(By by) : by_(by) {}
    void add(const FrequentSpan& span);
    /// The greatest first; of equals the first in the input.
    const std::vector<FrequentSpan>& spans() const { return spans_; }

 private:
    By by_;
    std::vector<FrequentSpan> spans_;
};

struct SpanFindings {
    explicit SpanFindings(SpillArea& area) : cuts(area) {}

    RecordFile<Cut> cuts;  // in the order of the input, apart from each other
    std::vector<FrequentSpan> frequent;
    // Of substrings:
    uint64_t num_anchors = 0;
    uint64_t num_repeated_anchors = 0;
    uint64_t num_windows = 0;    // looked at one by one
    uint64_t num_matches = 0;    // after joining
    uint64_t unequal_bytes = 0;  // of matches that hashes claimed and the bytes refuted
};

}  // namespace longhaul::dedup
