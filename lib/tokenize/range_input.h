// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The lines of a plain file that begin in a byte range, as a stream: lets several units share a
// file without anyone reading it twice.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/io/file.h"
#include "lib/io/stream.h"

namespace longhaul::tokenize {

/// Gives whole lines. A line belongs to the range that holds its first byte.
class RangeInput final : public io::InputStream {
 public:
    /// @param begin,end bytes; a line that starts before `begin` is left to the range before.
    RangeInput(const std::string& path, uint64_t begin, uint64_t end);

    size_t read(std::span<std::byte> buffer) override;
    /// "FILE" for a range that begins at 0, else "FILE[from byte N]".
    const std::string& name() const override { return name_; }
    uint64_t stored_bytes() const override { return at_ - first_; }
    Hash128 stored_hash() const override { return hasher_.digest(); }
    /// Byte of the file at which the first line begins.
    uint64_t first_byte() const { return first_; }

 private:
    void find_first_line(uint64_t begin);

    std::string path_, name_;
    io::UniqueFd fd_;
    uint64_t end_, first_ = 0, at_ = 0;
    bool is_done_ = false;
    Hasher128 hasher_;
};

}  // namespace longhaul::tokenize
