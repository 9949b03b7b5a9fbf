// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/packer.h"

#include <memory>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "lib/base/error.h"

namespace longhaul::io {

namespace {

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

void pack_zstd(std::span<const std::byte> bytes, std::vector<std::byte>& packed) {
    // Kept: its tables of a megabyte would be allocated and zeroed anew for every frame.
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    if (!context) throw Error("out of memory for a zstd encoder");
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    packed.resize(ZSTD_compressBound(bytes.size()));
    const size_t size =
        ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0) {
        throw Error(format("zstd compression failed: {}", ZSTD_getErrorName(size)));
    }
    packed.resize(size);
}

void pack_gzip(std::span<const std::byte> bytes, std::vector<std::byte>& packed) {
    std::vector<uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
    isal_zstream stream{};
    isal_deflate_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    stream.level = 1;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<uint32_t>(level_buffer.size());
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uint32_t>(bytes.size());
    stream.end_of_stream = 1;
    // Bytes that do not shrink take five more for every 64 KiB, and header and trailer.
    packed.resize(bytes.size() + bytes.size() / 1024 + 256);
    stream.next_out = reinterpret_cast<uint8_t*>(packed.data());
    stream.avail_out = static_cast<uint32_t>(packed.size());
    const int status = isal_deflate(&stream);
    if (status != COMP_OK || stream.internal_state.state != ZSTATE_END) {
        throw Error(format("gzip compression failed (ISA-L error {})", status));
    }
    packed.resize(packed.size() - stream.avail_out);
}

}  // namespace

void pack_frame(Compression compression, std::span<const std::byte> bytes,
                std::vector<std::byte>& packed) {
    switch (compression) {
        case Compression::kZstd:
            pack_zstd(bytes, packed);
            break;
        case Compression::kGzip:
            pack_gzip(bytes, packed);
            break;
        case Compression::kNone:
            packed.assign(bytes.begin(), bytes.end());
            break;
    }
}

}  // namespace longhaul::io
