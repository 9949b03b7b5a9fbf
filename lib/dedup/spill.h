// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Temporary files that have no name and vanish with the process, however it ends.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/io/file.h"

namespace longhaul::dedup {

/// The folder of --tmp-dir. Thread-safe. Outlives its files.
class SpillArea {
 public:
    /// @param folder empty: $TMPDIR, else /tmp. @throws IoError when it can not be written.
    explicit SpillArea(const std::string& folder);

    const std::filesystem::path& folder() const { return folder_; }
    /// Bytes written so far, for the report.
    uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }

 private:
    friend class SpillFile;
    std::filesystem::path folder_;
    std::atomic<uint64_t> bytes_written_{0};
};

/// One such file: append, then read at any place. Reads are thread-safe, appends are not.
class SpillFile {
 public:
    /// Creates the file. @throws IoError
    explicit SpillFile(SpillArea& area);

    /// @return the offset where the bytes stand. @throws IoError naming folder, need and remedy
    ///         when there is no space.
    uint64_t append(std::span<const std::byte> bytes);
    void read(std::span<std::byte> bytes, uint64_t offset) const;
    uint64_t size() const { return size_; }
    /// Gives the space back; the file can be appended to anew.
    void clear();

 private:
    SpillArea* area_;
    io::UniqueFd fd_;
    uint64_t size_ = 0;
};

}  // namespace longhaul::dedup
