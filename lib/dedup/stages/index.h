// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// --against: the work directory of an earlier run as an index of documents that stay.

#include <optional>
#include <string>

#include "lib/dedup/options.h"
#include "lib/dedup/stages/work.h"

namespace longhaul::dedup {

/// Checks that the run in options.against[i].work is finished, was made with the same parameters of
/// keys, and that its inputs have their sizes; fills in the rest of each IndexRef.
/// @throws UsageError, DataError
void resolve_indexes(Options& options);

/// Which lines of a unit are to be left out: those that an index's own run removed.
class IndexFilter {
 public:
    explicit IndexFilter(const UnitSpan& unit);
    /// @param line in the unit, growing from call to call
    bool leaves_out(uint64_t line);

 private:
    std::unique_ptr<StageReader> file_;  // null unless the unit is an index's
    std::optional<RecordReader<DecisionRow>> rows_;
    DecisionRow row_;
    bool has_row_ = false;
};

}  // namespace longhaul::dedup
