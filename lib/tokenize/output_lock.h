// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One process for one task of an output folder, and nothing left of those that were killed.

#include <filesystem>

#include "lib/io/file.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// Held while a task writes into its folder: files beside the shards under flock(2), which the
/// kernel releases when the process dies, however it does. Where the file system has no locks, or
/// not between hosts, or is read-only, nothing is protected and nothing fails.
class OutputLock {
 public:
    /// @throws UsageError when another process does the same task in the same folder, or others are
    /// at work there as another number of tasks, whose shares overlap with this one's.
    OutputLock(const std::filesystem::path& folder, Task task);
    ~OutputLock();
    OutputLock(const OutputLock&) = delete;
    OutputLock& operator=(const OutputLock&) = delete;

 private:
    void lock_task(const std::filesystem::path& folder, Task task);
    void lock_count(const std::filesystem::path& folder, uint64_t count);

    std::filesystem::path path_, count_path_;
    io::UniqueFd fd_, count_fd_;
};

/// Removes what killed processes left in `folder`: temporary files of shards of this task's units,
/// all others when it is the only task, and the records of units when the output is complete.
/// @pre the task's OutputLock is held
void remove_leftovers(const std::filesystem::path& folder, Task task);

}  // namespace longhaul::tokenize
