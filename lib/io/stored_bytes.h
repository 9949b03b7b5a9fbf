// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The bytes of an input as stored, counted and hashed, with as much look-ahead as is asked for; for
// input streams.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/file.h"

namespace longhaul::io {

/// Not thread-safe.
class StoredBytes {
 public:
    /// Opens `path` ("-" is stdin) and reads the first block. @throws IoError
    explicit StoredBytes(const std::string& path);

    std::span<const std::byte> available() const {
        return std::span(buffer_).subspan(begin_, end_ - begin_);
    }
    /// Takes `count` of the available bytes.
    void consume(size_t count);
    /// Takes back bytes that were consumed last.
    void unread(std::span<const std::byte> bytes);
    /// @return false when nothing is available and the file has ended.
    bool refill();
    /// Reads one block more than is available. @return false at the end of the file
    bool extend();
    /// Plain bytes straight into the caller's buffer, past our own one when it is empty.
    size_t read_through(std::span<std::byte> out);

    const std::string& name() const { return name_; }
    uint64_t consumed() const { return consumed_; }
    /// Of all bytes read from the file.
    Hash128 hash() const { return hasher_.digest(); }

 private:
    size_t read(std::span<std::byte> out);

    std::string name_;
    UniqueFd fd_;
    std::vector<std::byte> buffer_;
    size_t begin_ = 0, end_ = 0;
    uint64_t consumed_ = 0;
    Hasher128 hasher_;
};

}  // namespace longhaul::io
