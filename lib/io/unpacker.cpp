// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/unpacker.h"

#include <cstring>
#include <limits>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <snappy-c.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/base/error.h"

namespace longhaul::io {

namespace {

constexpr const char* kOtherSize = "its content has another size than is declared";

const char* unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> out) {
    const char* const from = reinterpret_cast<const char*>(packed.data());
    size_t size = 0;
    if (snappy_uncompressed_length(from, packed.size(), &size) != SNAPPY_OK) {
        return "damaged snappy data";
    }
    if (size != out.size()) return kOtherSize;
    const snappy_status status =
        snappy_uncompress(from, packed.size(), reinterpret_cast<char*>(out.data()), &size);
    return status == SNAPPY_OK && size == out.size() ? nullptr : "damaged snappy data";
}

}  // namespace

struct Unpacker::State {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> zstd;
    std::unique_ptr<inflate_state> gzip;

    const char* unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> out);
    const char* unpack_gzip(std::span<const std::byte> packed, std::span<std::byte> out);
    const char* unpack_member(std::span<const std::byte>& packed, std::span<std::byte>& out);
};

/// All frames of the block.
const char* Unpacker::State::unpack_zstd(std::span<const std::byte> packed,
                                         std::span<std::byte> out) {
    if (!zstd) zstd.reset(ZSTD_createDCtx());
    if (!zstd) throw Error("out of memory for a zstd decoder");
    const size_t size =
        ZSTD_decompressDCtx(zstd.get(), out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0) {
        const bool is_larger = ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall;
        return is_larger ? kOtherSize : "damaged zstd data";
    }
    return size == out.size() ? nullptr : kOtherSize;
}

/// One member at the begin of `packed`; both spans move behind what was taken and given.
const char* Unpacker::State::unpack_member(std::span<const std::byte>& packed,
                                           std::span<std::byte>& out) {
    isal_inflate_init(gzip.get());
    // Some writers put a zlib header (RFC 1950) where gzip's belongs.
    gzip->crc_flag = packed[0] == std::byte{0x1F} ? ISAL_GZIP : ISAL_ZLIB;
    gzip->next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(packed.data()));
    gzip->avail_in = static_cast<uint32_t>(packed.size());
    for (;;) {
        uint8_t spare = 0;  // ISA-L finds the end of a member only where there is room
        const bool is_full = out.empty();
        const size_t room = is_full ? 1 : out.size();
        gzip->next_out = is_full ? &spare : reinterpret_cast<uint8_t*>(out.data());
        gzip->avail_out = static_cast<uint32_t>(room);
        if (isal_inflate(gzip.get()) != ISAL_DECOMP_OK) return "damaged gzip data";
        const size_t got = room - gzip->avail_out;
        if (is_full && got > 0) return kOtherSize;
        out = out.subspan(got);
        if (gzip->block_state == ISAL_BLOCK_FINISH) break;
        if (gzip->avail_out > 0) return "cut gzip data";
    }
    packed = packed.last(gzip->avail_in);
    return nullptr;
}

const char* Unpacker::State::unpack_gzip(std::span<const std::byte> packed,
                                         std::span<std::byte> out) {
    constexpr size_t kMaxPart = std::numeric_limits<uint32_t>::max();
    if (packed.size() > kMaxPart || out.size() > kMaxPart) return "too large for gzip";
    if (!gzip) gzip = std::make_unique<inflate_state>();
    while (!packed.empty()) {
        if (const char* const fault = unpack_member(packed, out)) return fault;
    }
    return out.empty() ? nullptr : kOtherSize;
}

Unpacker::Unpacker() : state_(std::make_unique<State>()) {}
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker::~Unpacker() = default;

const char* Unpacker::unpack(BlockCodec codec, std::span<const std::byte> packed,
                             std::span<std::byte> out) {
    switch (codec) {
        case BlockCodec::kSnappy:
            return unpack_snappy(packed, out);
        case BlockCodec::kGzip:
            return state_->unpack_gzip(packed, out);
        case BlockCodec::kZstd:
            return state_->unpack_zstd(packed, out);
        case BlockCodec::kNone:
            break;
    }
    if (packed.size() != out.size()) return kOtherSize;
    if (!out.empty()) std::memcpy(out.data(), packed.data(), out.size());
    return nullptr;
}

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) {
    return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace longhaul::io
