// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file that is read here and there while a part of it is hashed from begin to end.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/file.h"

namespace longhaul::corpus::parquet {

class HashedFile {
 public:
    /// @throws IoError
    explicit HashedFile(const std::string& path);

    int fd() const { return fd_.get(); }
    const std::string& path() const { return path_; }

    /// Bytes [begin, end) are those that are hashed.
    void set_part(uint64_t begin, uint64_t end);
    /// Hashes up to `offset`, and so brings these bytes into the page cache in file order.
    void hash_up_to(uint64_t offset);
    /// Reads exactly `out.size()` bytes. @throws DataError when the file ends before
    void read(uint64_t offset, std::span<std::byte> out);

    uint64_t hashed_bytes() const { return at_ - begin_; }
    Hash128 hash() const { return hasher_.digest(); }

 private:
    std::string path_;
    io::UniqueFd fd_;
    uint64_t begin_ = 0, end_ = 0, at_ = 0;
    Hasher128 hasher_;
    std::vector<std::byte> block_;
};

}  // namespace longhaul::corpus::parquet
