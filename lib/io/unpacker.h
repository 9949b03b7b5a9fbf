// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compressed blocks of a known size, as containers such as Parquet hold them; for streams see
// stream.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace longhaul::io {

enum class BlockCodec { kNone, kSnappy, kGzip, kZstd };

/// Keeps the tables of its decoders. Not thread-safe.
class Unpacker {
 public:
    Unpacker();
    Unpacker(Unpacker&&) noexcept;
    ~Unpacker();

    /// Fills `out` exactly with the content of `packed`. Never writes beyond `out`.
    /// @return null, or what is wrong with the block: a literal
    const char* unpack(BlockCodec codec, std::span<const std::byte> packed,
                       std::span<std::byte> out);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

/// CRC-32 of gzip (RFC 1952 section 8).
uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc = 0);

}  // namespace longhaul::io
