// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Outputs that appear complete or not at all: temporary name in the target folder, fsync, rename.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "lib/io/file.h"

namespace longhaul::io {

/// A file under construction. commit() makes it visible; a destroyed, uncommitted one leaves
/// nothing behind. The temporary name is ".NAME.tmp-<pid>-<n>" beside the target. A symbolic link
/// is followed. A target that is there and no regular file (a device, a pipe) is written directly:
/// it must not be replaced by a file.
class AtomicFile {
 public:
    explicit AtomicFile(std::filesystem::path target);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    ~AtomicFile();

    void write(std::span<const std::byte> bytes);
    void write(std::string_view bytes);
    int fd() const { return fd_.get(); }
    const std::filesystem::path& target() const { return target_; }
    const std::filesystem::path& temporary() const { return temporary_; }

    /// fsync, close, rename over the target, fsync of the folder. @throws IoError; then the
    /// target is as it was.
    void commit();

 private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    UniqueFd fd_;  // of the temporary, or of a target that is no regular file
};

/// AtomicFile in one call.
void write_file_atomically(const std::filesystem::path& target, std::string_view content);

/// Removes what killed processes of this machine left beside `target`: ".NAME.tmp-PID-N". Only for
/// the one process that writes the target.
void remove_stale_temporaries(const std::filesystem::path& target);

/// mkdir -p with an error that names the path.
void create_directories(const std::filesystem::path& path);

}  // namespace longhaul::io
