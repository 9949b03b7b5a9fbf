// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work directory of a run in stages (longhaul-dedup-work.5): where the files of each stage
// are, which of them are done, and what their sections hold.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/corpus/bad_records.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/stages/plan.h"
#include "lib/dedup/stages/stage_file.h"

namespace longhaul::dedup {

/// Sections of the stage files. The first of each is a JSON object.
inline constexpr size_t kMetaSection = 0;
struct SignSections {
    static constexpr size_t kExact = 1;  // ExactRecord, ids from 0 in the unit
    static constexpr size_t kBad = 2;    // BadRow
    static constexpr size_t kOrder = 3;  // OrderKey of each ExactRecord; empty for input order
    static constexpr size_t kBands = 4;  // BandRecord; for each band, for each range of keys
};
struct ExactSections {
    static constexpr size_t kCopies = 1;     // words of an IdSet
    static constexpr size_t kHasCopies = 2;  // words of an IdSet
    static constexpr size_t kFates = 3;      // FateRow by id
    static constexpr size_t kCount = 4;
};
struct GroupSections {
    static constexpr size_t kMemberships = 1;  // Membership by id; a section for each unit
};
struct ShingleSections {
    static constexpr size_t kRows = 1;  // SetRow by id
    static constexpr size_t kSets = 2;  // shingles
    static constexpr size_t kCount = 3;
};
struct ClusterSections {
    static constexpr size_t kDecisions = 1;  // DecisionRow by id; a section for each unit
};

/// Rows of stage files; ids are those of the whole run unless said.
struct BadRow {
    uint64_t id = 0;  // in the unit
    uint64_t reason = 0;
};
struct FateRow {
    uint64_t id = 0;
    uint64_t kept = 0;  // as Fate::kept
};

class Work {
 public:
    /// Opens the indexes of the plan. @throws UsageError when one is not that of the plan
    Work(std::filesystem::path folder, Plan plan, Inputs inputs);
    /// Reads the plan in `folder`. @throws UsageError, DataError
    static Work open(const std::filesystem::path& folder);
    /// The same for a folder that serves as an index; its own indexes are not opened.
    static Work open_index(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return folder_; }
    const Plan& plan() const { return plan_; }
    const Inputs& inputs() const { return inputs_; }
    const std::vector<Work>& indexes() const { return indexes_; }
    /// Units of all indexes; they come before those of the plan in files that know all units.
    uint64_t num_index_units() const;
    Inputs unit_inputs(uint64_t unit) const;
    /// Section of a sign file. @param part as a unit of stage group
    static size_t band_section(uint64_t part) { return SignSections::kBands + part; }

    uint64_t num_units(Stage stage) const;
    std::filesystem::path path(Stage stage, uint64_t unit) const;
    StageIdentity identity(Stage stage, uint64_t unit) const;
    /// @throws DataError for a file that is there but not as it must be
    bool is_done(Stage stage, uint64_t unit) const;
    /// @throws UsageError saying what to run when it is missing
    StageReader read(Stage stage, uint64_t unit) const;
    std::unique_ptr<StageWriter> write(Stage stage, uint64_t unit, size_t num_sections,
                                       uint64_t memory_bytes) const;

 private:
    std::filesystem::path folder_;
    Plan plan_;
    Inputs inputs_;
    Hash128 keys_hash_;
    std::vector<Work> indexes_;
};

/// Where the documents of a unit stand among all.
struct UnitSpan {
    const Work* work = nullptr;  // this one, or an index
    uint64_t unit = 0;           // there
    bool is_index = false;
    uint64_t first_id = 0;
    uint64_t num_lines = 0;
    size_t first_source = 0;
    size_t num_sources = 0;
};

/// What the sign files say of all documents: those of indexes, then those of the plan.
struct Documents {
    std::vector<UnitSpan> units;
    std::vector<Source> sources;
    size_t first_unit = 0;    // of the plan
    size_t first_source = 0;  // of the plan
    uint64_t first_new = 0;   // id of the plan's first document
    uint64_t num_ids = 0;
    // Of the plan:
    uint64_t num_records = 0;  // good and bad
    corpus::BadRecords bad;
};
/// @throws UsageError when a unit is not signed yet
Documents read_documents(const Work& work);

/// Inputs of all sources: those of indexes, then those of the plan.
Inputs all_inputs(const Work& work);

/// The meta section of a sign file.
std::string sign_meta(const Signed& documents);
/// The same back, but for ids. @throws DataError naming `source`
Signed signed_from_meta(const std::string& text, const std::string& source);

}  // namespace longhaul::dedup
