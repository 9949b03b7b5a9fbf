// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Temporary files without a name, for what must wait until its size is known.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/file.h"

namespace longhaul::shards {

/// $TMPDIR, else /tmp.
std::filesystem::path default_spool_folder();

/// Written in blocks, read by position; nothing is left behind when the program is killed.
class Spool {
 public:
    explicit Spool(const std::filesystem::path& folder);

    void write(std::span<const std::byte> bytes);
    uint64_t size() const { return size_; }
    /// Bytes [offset, offset + out.size()).
    void read(uint64_t offset, std::span<std::byte> out);
    /// Copies everything to `target` at `offset`. @param hasher told of the bytes, if any
    void copy_to(int target, uint64_t offset, const std::string& target_name,
                 Hasher128* hasher = nullptr);
    /// Drops the content.
    void clear();
    /// The file itself, complete; the spool is empty and unusable after that.
    io::UniqueFd release();

 private:
    void flush();

    std::string name_;
    io::UniqueFd fd_;
    std::vector<std::byte> buffer_;
    uint64_t size_ = 0;
};

}  // namespace longhaul::shards
