// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An input stream over a text in memory.

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "lib/base/hash.h"
#include "lib/io/stream.h"

namespace longhaul::test {

/// Hands out at most `chunk` bytes a read.
class MemoryInput : public io::InputStream {
 public:
    MemoryInput(std::string text, size_t chunk) : text_(std::move(text)), chunk_(chunk) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t n = std::min({buffer.size(), chunk_, text_.size() - done_});
        std::memcpy(buffer.data(), text_.data() + done_, n);
        done_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }
    uint64_t stored_bytes() const override { return done_; }
    Hash128 stored_hash() const override { return xxh3_128(text_); }

 private:
    std::string text_, name_ = "memory";
    size_t chunk_, done_ = 0;
};

}  // namespace longhaul::test
