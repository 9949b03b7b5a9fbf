// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/frame_extent.h"

#include <algorithm>
#include <array>
#include <memory>

#include <zstd.h>

#include "lib/base/error.h"
#include "lib/io/unpacker.h"

namespace longhaul::io {

namespace {

using Status = FrameExtent::Status;

/// Reads little-endian numbers; says when the bytes have ended.
class Cursor {
 public:
    explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

    uint64_t number(size_t num_bytes) {
        uint64_t value = 0;
        for (size_t i = 0; i < num_bytes && at_ + i < bytes_.size(); ++i) {
            value |= std::to_integer<uint64_t>(bytes_[at_ + i]) << (8 * i);
        }
        skip(num_bytes);
        return value;
    }
    void skip(uint64_t num_bytes) { at_ += num_bytes; }
    uint64_t at() const { return at_; }
    bool is_past_end() const { return at_ > bytes_.size(); }

 private:
    std::span<const std::byte> bytes_;
    uint64_t at_ = 0;
};

constexpr FrameExtent kCut{Status::kCut, 0, 0};

FrameExtent whole(const Cursor& cursor, uint64_t content) {
    if (cursor.is_past_end()) return kCut;
    return {Status::kWhole, static_cast<size_t>(cursor.at()), content};
}

struct ZstdHeader {
    bool has_checksum = false, has_size = false;
    uint64_t content_size = 0, window = 0;
};

ZstdHeader read_zstd_header(Cursor& cursor) {
    const uint64_t descriptor = cursor.number(1);
    const bool is_single_segment = (descriptor & 0x20) != 0;
    const uint64_t size_flag = descriptor >> 6;
    constexpr std::array<size_t, 4> kIdBytes{0, 1, 2, 4};
    const uint64_t window = is_single_segment ? 0 : cursor.number(1);
    cursor.skip(kIdBytes[descriptor & 3]);  // of a dictionary
    const size_t size_bytes = size_flag == 0 ? (is_single_segment ? 1 : 0) : size_t{1} << size_flag;
    ZstdHeader header{(descriptor & 4) != 0, size_bytes > 0, cursor.number(size_bytes), 0};
    if (size_bytes == 2) header.content_size += 256;
    const uint64_t base = uint64_t{1} << (10 + (window >> 3));
    header.window = is_single_segment ? header.content_size : base + base / 8 * (window & 7);
    return header;
}

FrameExtent find_zstd_frame(std::span<const std::byte> bytes) {
    constexpr uint64_t kMagic = 0xFD2FB528, kSkippable = 0x184D2A50, kMaxBlock = 128 << 10,
                       kMaxWindow = uint64_t{1} << 31;
    Cursor cursor(bytes);
    const uint64_t magic = cursor.number(4);
    if (cursor.is_past_end()) return kCut;
    if ((magic & ~uint64_t{0xF}) == kSkippable) {
        const uint64_t size = cursor.number(4);
        cursor.skip(size);
        return whole(cursor, 0);
    }
    if (magic != kMagic) return {};
    const ZstdHeader header = read_zstd_header(cursor);
    if (header.window > kMaxWindow) return {};  // the decoder of streams refuses it
    const uint64_t max_block = std::min(header.window, kMaxBlock);
    uint64_t content = 0;
    for (bool is_last = false; !is_last;) {
        const uint64_t block = cursor.number(3);
        if (cursor.is_past_end()) return kCut;
        enum : uint64_t { kRaw, kRepeated, kCompressed, kReserved };
        const uint64_t type = block >> 1 & 3, size = block >> 3;
        if (type == kReserved || size > max_block) return {};
        cursor.skip(type == kRepeated ? 1 : size);
        content += type == kCompressed ? max_block : size;
        is_last = (block & 1) != 0;
    }
    if (header.has_checksum) cursor.skip(4);
    if (header.has_size && header.content_size > content) return {};
    return whole(cursor, header.has_size ? header.content_size : content);
}

FrameExtent find_bgzf_member(std::span<const std::byte> bytes) {
    // Fixed up to the size: one extra field of six bytes, "BC" and two bytes of length.
    constexpr std::array<uint8_t, 4> kBegin{0x1f, 0x8b, 8, 4};
    constexpr std::array<uint8_t, 6> kField{6, 0, 'B', 'C', 2, 0};
    constexpr size_t kFieldAt = 10, kSizeAt = kFieldAt + kField.size(), kTrailer = 8;
    constexpr uint64_t kMaxContent = 1 << 16;
    const auto differs = [&](size_t at, std::span<const uint8_t> wanted) {
        for (size_t i = 0; i < wanted.size() && at + i < bytes.size(); ++i) {
            if (std::to_integer<uint8_t>(bytes[at + i]) != wanted[i]) return true;
        }
        return false;
    };
    if (differs(0, kBegin) || differs(kFieldAt, kField)) return {};
    Cursor cursor(bytes);
    cursor.skip(kSizeAt);
    const uint64_t size = cursor.number(2) + 1;
    if (cursor.is_past_end()) return kCut;
    if (size < kSizeAt + 2 + kTrailer) return {};
    if (size > bytes.size()) return kCut;
    Cursor trailer(bytes.subspan(static_cast<size_t>(size) - 4));
    const uint64_t content = trailer.number(4);
    if (content > kMaxContent) return {};
    return {Status::kWhole, static_cast<size_t>(size), content};
}

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

FrameExtent find_frame(Compression compression, std::span<const std::byte> bytes) {
    if (bytes.empty()) return kCut;
    return compression == Compression::kZstd ? find_zstd_frame(bytes) : find_bgzf_member(bytes);
}

bool unpack_frames(Compression compression, std::span<const std::byte> frames,
                   std::span<std::byte> room, size_t& size) {
    if (compression == Compression::kZstd) {
        thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
        if (!context) throw Error("out of memory for a zstd decoder");
        size = ZSTD_decompressDCtx(context.get(), room.data(), room.size(), frames.data(),
                                   frames.size());
        return ZSTD_isError(size) == 0;
    }
    thread_local Unpacker unpacker;
    size = room.size();
    return unpacker.unpack(BlockCodec::kGzip, frames, room) == nullptr;
}

}  // namespace longhaul::io
