// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which checkpoints of a run to keep, and deleting the others safely.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

struct RetentionPolicy {
    int64_t keep_last = 2;   // newest loadable ones; at least 1 is always kept
    int64_t keep_every = 0;  // steps that are multiples of this are kept for ever; 0: none
    /// The step that this process saved or loaded: newer ones belong to somebody else and stay.
    std::optional<int64_t> mine;
    /// Also what never became a checkpoint: temporaries of interrupted saves, old trash, and
    /// (remove_damaged) step-* directories that are not loadable and older than the newest that is.
    bool remove_wrecks = true;
    /// A running job leaves damaged ones to a person: ckpt-reshard gc.
    bool remove_damaged = true;
    /// Temporaries touched less long ago may belong to a save that is running. The process that
    /// holds the run lock gives 0.
    double wreck_age_s = 3600;
};

struct RetentionItem {
    std::filesystem::path directory;
    int64_t step = -1;
    bool is_kept = true;
    std::string reason;
};

/// Decides, deletes nothing. Newest first, wrecks last. Milestones (class "milestone") are kept.
std::vector<RetentionItem> plan_retention(const std::filesystem::path& run_checkpoints,
                                          const RetentionPolicy& policy);

/// Deletes what the plan does not keep: rename to .trash-, sync, delete.
/// @return the items that were deleted.
std::vector<RetentionItem> apply_retention(const std::filesystem::path& run_checkpoints,
                                           const RetentionPolicy& policy);

}  // namespace longhaul::ckpt
