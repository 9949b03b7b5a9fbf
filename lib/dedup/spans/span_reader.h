// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The first reading of `dedup-minhash spans`: hashes of lines or paragraphs, or texts and their
// anchors.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lib/corpus/bad_records.h"
#include "lib/dedup/external_sort.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/spans/repeat_finder.h"
#include "lib/dedup/spans/span_options.h"

namespace longhaul::dedup {

/// What is counted of an input besides Source.
struct SpanCounts {
    // Of the first reading; lines and paragraphs only:
    uint64_t num_units = 0;
    uint64_t num_long_units = 0;  // not below the least length
    // Of the second reading:
    uint64_t num_removed = 0;  // lines, paragraphs or substrings
    uint64_t removed_bytes = 0;
    uint64_t num_cut_documents = 0;      // that something was removed from
    uint64_t num_dropped_documents = 0;  // of those: too little was left

    void add(const SpanCounts& other);
};

/// Output of the first reading.
struct SpanReading {
    std::vector<Source> sources;
    std::vector<SpanCounts> counts;  // of each input
    corpus::BadRecords bad;
    uint64_t num_records = 0;  // good and bad
    RecordFile<Fate> bad_ids;
    std::optional<ExternalSorter<UnitRecord>> units;  // of lines and paragraphs; filled
    std::optional<RepeatFinder> repeats;              // of substrings; filled
};

/// @param on_bytes told of stored bytes as they are read
/// @throws DataError for a damaged container, and for a bad record where the policy says fail
SpanReading read_spans(Inputs& inputs, const SpanOptions& options, const MemoryPlan& memory,
                       SpillArea& area, const std::function<void(uint64_t)>& on_bytes);

/// Finds all lines or paragraphs that go: of equal ones the first `max_copies` stay.
void find_equal_units(ExternalSorter<UnitRecord>& units, uint64_t max_copies, SpillArea& area,
                      uint64_t sort_bytes, SpanFindings& findings);

}  // namespace longhaul::dedup
