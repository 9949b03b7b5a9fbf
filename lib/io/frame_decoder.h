// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// gzip members (RFC 1952 section 2.2, by ISA-L, which checks CRC and length) and zstd frames (RFC
// 8878 section 3.1) unpacked one after another as their bytes come; for input streams.

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>

#include "lib/io/stream.h"

namespace longhaul::io {

/// What is wrong with a frame; who knows where it stands adds that.
class FrameFault : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

class FrameDecoder {
 public:
    struct Step {
        size_t taken = 0, given = 0;
        bool ends_frame = false;
    };

    virtual ~FrameDecoder() = default;
    /// Unpacks some of `in` into `out`, which is not empty; stops at the end of a frame. With an
    /// empty `in`, gives what is still held back. @throws FrameFault
    virtual Step step(std::span<const std::byte> in, std::span<std::byte> out) = 0;
    /// True at the begin, behind a whole frame, and in padding.
    virtual bool is_between_frames() const = 0;
};

/// @param compression not kNone
std::unique_ptr<FrameDecoder> make_frame_decoder(Compression compression);

}  // namespace longhaul::io
