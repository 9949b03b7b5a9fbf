// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where a frame ends, without unpacking it: zstd frames by the headers of their blocks (RFC 8878
// section 3.1.1), gzip members where a field of their header tells their size (BGZF: the SAM/BAM
// format specification, section 4.1). Bytes from outside: nothing is believed that is not checked.

#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/io/stream.h"

namespace longhaul::io {

struct FrameExtent {
    enum class Status {
        kWhole,    // the frame is here
        kCut,      // so far it is one, but more bytes are needed
        kUnknown,  // no frame, or one that does not tell where it ends
    };
    Status status = Status::kUnknown;
    size_t stored = 0;     // bytes of the frame
    uint64_t content = 0;  // it unpacks to no more than this
};

/// Of the frame that begins at the first of `bytes`, which may hold more than it or less.
FrameExtent find_frame(Compression compression, std::span<const std::byte> bytes);

/// Unpacks whole frames that find_frame() has found, one behind the other. Thread-safe.
/// @param room for the sum of their `content` @param[out] size of the content
/// @return false when one of them is damaged
bool unpack_frames(Compression compression, std::span<const std::byte> frames,
                   std::span<std::byte> room, size_t& size);

}  // namespace longhaul::io
