// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One compressed frame from bytes at hand; for output streams.

#include <cstddef>
#include <span>
#include <vector>

#include "lib/io/stream.h"

namespace longhaul::io {

/// Replaces `packed` by a whole zstd frame (level 3, with checksum) or gzip member (ISA-L level 1)
/// of `bytes`. The same bytes give the same result. Thread-safe.
void pack_frame(Compression compression, std::span<const std::byte> bytes,
                std::vector<std::byte>& packed);

}  // namespace longhaul::io
