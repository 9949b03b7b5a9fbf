// SPDX-License-Identifier: BSD-3-Clause
// Frames of zstd and BGZF: where one ends by its headers, and unpacked at once, against the decoder
// of streams. Input: the frames.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "lib/io/frame_decoder.h"
#include "lib/io/frame_extent.h"

using namespace longhaul::io;

namespace {

constexpr uint64_t kMaxContent = 4 << 20;

void require(bool condition) {
    if (!condition) std::abort();
}

/// @return false when the decoder finds a fault or does not end with the bytes
bool decode(Compression compression, std::span<const std::byte> bytes,
            std::vector<std::byte>& content) {
    const auto decoder = make_frame_decoder(compression);
    std::vector<std::byte> block(1000);
    try {
        while (!bytes.empty() || !decoder->is_between_frames()) {
            const FrameDecoder::Step step = decoder->step(bytes, block);
            require(step.taken <= bytes.size() && step.given <= block.size());
            bytes = bytes.subspan(step.taken);
            content.insert(content.end(), block.begin(),
                           block.begin() + static_cast<ptrdiff_t>(step.given));
            if (content.size() > kMaxContent) return false;
            if (bytes.empty() && step.given == 0 && !step.ends_frame) return false;
        }
    } catch (const FrameFault&) {
        return false;
    }
    return true;
}

void check(Compression compression, std::span<const std::byte> bytes) {
    const FrameExtent frame = find_frame(compression, bytes);
    if (frame.status != FrameExtent::Status::kWhole) return;
    require(frame.stored > 0 && frame.stored <= bytes.size());
    for (size_t less = 1; less < frame.stored; less += less) {
        const auto cut = bytes.first(frame.stored - less);
        require(find_frame(compression, cut).status == FrameExtent::Status::kCut);
    }
    if (frame.content > kMaxContent) return;
    const auto room = std::make_unique<std::byte[]>(frame.content);
    size_t size = 0;
    const auto stored = bytes.first(frame.stored);
    if (!unpack_frames(compression, stored, {room.get(), frame.content}, size)) return;
    require(size <= frame.content);
    std::vector<std::byte> content;
    require(decode(compression, stored, content));
    require(std::equal(content.begin(), content.end(), room.get(), room.get() + size));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check(Compression::kZstd, bytes);
    check(Compression::kGzip, bytes);
    return 0;
}
