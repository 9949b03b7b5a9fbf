// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One unit of work: reads its segments, encodes the documents in parallel, writes its shards.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/corpus/bad_records.h"
#include "lib/shards/format.h"
#include "lib/tokenize/job.h"
#include "lib/tokenize/memory_plan.h"
#include "lib/tokenize/plan.h"

namespace longhaul::tokenize {

/// What one segment turned out to hold.
struct SegmentResult {
    uint32_t input = 0;
    uint64_t begin = 0, end = 0;  // bytes as stored, at line borders where the file was cut
    bool is_whole = true;
    uint64_t lines = 0;  // rows: records, bad ones and blank lines
    Hash128 xxh3_128;    // of those bytes
};

/// Counts of a unit; they add up over units.
struct UnitCounts {
    uint64_t records = 0;  // good and bad ones
    uint64_t documents = 0, empty_documents = 0, blank_lines = 0;
    uint64_t text_bytes = 0, tokens = 0;
    uint64_t lone_surrogates = 0;
    uint64_t replaced_utf8 = 0;   // sequences that were not UTF-8
    uint64_t raw_bytes = 0;       // of texts: not UTF-8, and kept
    uint64_t dropped_tokens = 0;  // at the end of the unit, too few for a sample of MDS

    void add(const UnitCounts& other);
};

struct UnitResult {
    std::vector<SegmentResult> segments;
    std::vector<shards::ShardEntry> shards;
    UnitCounts counts;
    corpus::BadRecords bad;
};

/// Everything fixed over a run that a unit needs.
struct UnitContext {
    const EncodeJob& job;
    const token::Tokenizer& tokenizer;
    shards::Borders borders;
    std::function<void(uint64_t bytes)> on_progress;  // bytes of input read, as stored
};

/// The threads that encode, shared by all units under way.
class UnitEncoder {
 public:
    /// Thrown when a unit is not wanted any more.
    struct GivenUp {};

    UnitEncoder(const UnitContext& context, const MemoryPlan& memory);
    ~UnitEncoder();

    /// Thread-safe, for as many units at once as the memory is planned for.
    /// @param is_given_up asked now and then
    /// @throws DataError: damaged container, or a bad record under --on-bad-record=fail
    UnitResult encode(const Unit& unit, uint64_t number, const std::function<bool()>& is_given_up);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul::tokenize
