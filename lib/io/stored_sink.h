// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Buffered bytes to stdout or to an AtomicFile, counted and hashed as stored; for output streams.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"

namespace longhaul::io {

class StoredSink {
 public:
    explicit StoredSink(const std::string& path) {
        if (path != "-") file_.emplace(path);
        buffer_.reserve(kBuffer);
    }
    void write(std::span<const std::byte> bytes) {
        if (buffer_.size() + bytes.size() > kBuffer) flush();
        if (bytes.size() >= kBuffer) {
            put(bytes);
        } else {
            buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        }
    }
    void close() {
        flush();
        if (file_) file_->commit();
    }
    uint64_t bytes() const { return bytes_; }
    Hash128 hash() const { return hasher_.digest(); }

 private:
    static constexpr size_t kBuffer = 1 << 18;

    void flush() {
        put(buffer_);
        buffer_.clear();
    }
    void put(std::span<const std::byte> bytes) {
        hasher_.update(bytes);
        bytes_ += bytes.size();
        if (file_) {
            file_->write(bytes);
        } else {
            write_full(STDOUT_FILENO, bytes, "standard output");
        }
    }

    std::optional<AtomicFile> file_;
    std::vector<std::byte> buffer_;
    uint64_t bytes_ = 0;
    Hasher128 hasher_;
};

}  // namespace longhaul::io
