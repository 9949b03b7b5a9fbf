// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A work directory for one run in one process.

#include <string>

#include "lib/io/file.h"

namespace longhaul::dedup {

/// Made in the temporary folder and removed at the end. One that a killed run has left is removed
/// by the next run: whoever uses one holds a lock on a file in it, which dies with the process.
class TemporaryWork {
 public:
    /// @param tmp_dir as SpillArea. @throws IoError
    explicit TemporaryWork(const std::string& tmp_dir);
    TemporaryWork(const TemporaryWork&) = delete;
    TemporaryWork& operator=(const TemporaryWork&) = delete;
    ~TemporaryWork();

    const std::string& path() const { return path_; }

 private:
    std::string path_;
    io::UniqueFd lock_;
};

}  // namespace longhaul::dedup
