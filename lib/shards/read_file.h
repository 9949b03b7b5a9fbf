// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file that is read by position, small pieces without a system call.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lib/io/file.h"

namespace longhaul::shards {

/// Read-only; all members but map() may be called in parallel.
class ReadFile {
 public:
    /// Longer reads are a pread(2): one request to the storage, where a mapping faults page by
    /// page.
    static constexpr size_t kMostMapped = 4608;

    ReadFile() = default;
    ReadFile(io::UniqueFd fd, std::string name);
    ReadFile(ReadFile&& other) noexcept;
    ReadFile& operator=(ReadFile&& other) noexcept;
    ~ReadFile();

    const std::string& name() const { return name_; }
    int fd() const { return fd_.get(); }

    /// Reads of up to kMostMapped bytes copy from memory from now on. Pages that are touched count
    /// as the process's, so this is for programs that read at random. Where nothing can be mapped,
    /// everything goes on as before.
    void map();
    /// @throws DataError: the file ends before; IoError.
    void read(uint64_t offset, std::span<std::byte> out) const;
    /// Where bytes lie in memory, to be read inside try_mapped(); null when they are not mapped.
    const std::byte* mapped(uint64_t offset, uint64_t bytes) const {
        const bool is_mapped = offset < mapped_bytes_ && bytes <= mapped_bytes_ - offset;
        return is_mapped ? mapped_ + offset : nullptr;
    }
    /// Asks the system to read ahead; errors do not matter.
    void will_need(uint64_t offset, uint64_t bytes) const;

 private:
    void unmap() noexcept;

    io::UniqueFd fd_;
    std::string name_;
    const std::byte* mapped_ = nullptr;
    uint64_t mapped_bytes_ = 0;
};

}  // namespace longhaul::shards
