// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output of a run in stages, written by one or many processes.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lib/dedup/conclude.h"
#include "lib/dedup/stages/stage_apply.h"

namespace longhaul::dedup {

class StagedOutput {
 public:
    /// Checks names and places. @throws UsageError
    explicit StagedOutput(const UnitContext& context);

    /// True when the output is there, made by the same options from the same inputs.
    bool is_complete() const;
    /// Takes away what an earlier run left. Only where no other process writes.
    void retract();
    /// Writes what is not done of `units`; all of them by one process into a stream.
    void apply(const std::vector<uint64_t>& units);
    /// Units that are not done.
    std::vector<uint64_t> missing() const;
    /// Completes the output: removal list, manifests, report. Any process may, even several: they
    /// write the same. @throws UsageError when a unit is not done
    void finish(StageClock& clock);

 private:
    uint64_t num_units() const { return documents_.units.size() - documents_.first_unit; }
    void apply_to_stream();
    void gather_units(Outcome& outcome, std::vector<Source>& sources) const;
    Survey survey() const;

    const UnitContext& context_;
    Documents documents_;
    Target target_;
    std::optional<io::AtomicFile> begun_manifest_;
    bool is_streamed_ = false;
    record::FileEntry streamed_list_;
};

}  // namespace longhaul::dedup
