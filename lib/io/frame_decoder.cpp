// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/frame_decoder.h"

#include <algorithm>
#include <cstdint>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "lib/base/error.h"

namespace longhaul::io {

namespace {

class GzipDecoder final : public FrameDecoder {
 public:
    Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
        if (is_between_) {
            // Zero padding behind the last member is legal (tape blocks); anything else is not.
            const auto first =
                std::find_if(in.begin(), in.end(), [](std::byte b) { return b != std::byte{0}; });
            const auto padding = static_cast<size_t>(first - in.begin());
            if (padding > 0) return {padding, 0, false};
            if (in.empty()) return {};
            if (in[0] != std::byte{0x1f}) throw FrameFault("rubbish after a gzip member");
            begin_member();
        }
        return inflate(in, out);
    }
    bool is_between_frames() const override { return is_between_; }

 private:
    void begin_member() {
        isal_inflate_init(&state_);
        state_.crc_flag = ISAL_GZIP;
        is_between_ = false;
    }

    Step inflate(std::span<const std::byte> in, std::span<std::byte> out) {
        constexpr size_t kMost = 1u << 30;  // the counters have 32 bits
        in = in.first(std::min(in.size(), kMost));
        const size_t room = std::min(out.size(), kMost);
        state_.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(in.data()));
        state_.avail_in = static_cast<uint32_t>(in.size());
        state_.next_out = reinterpret_cast<uint8_t*>(out.data());
        state_.avail_out = static_cast<uint32_t>(room);
        const int status = isal_inflate(&state_);
        if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT) {
            throw FrameFault(format("damaged gzip data (ISA-L error {})", status));
        }
        is_between_ = state_.block_state == ISAL_BLOCK_FINISH;
        return {in.size() - state_.avail_in, room - state_.avail_out, is_between_};
    }

    inflate_state state_{};
    bool is_between_ = true;
};

class ZstdDecoder final : public FrameDecoder {
 public:
    ZstdDecoder() : context_(ZSTD_createDCtx()) {
        if (!context_) throw Error("out of memory for a zstd decoder");
        // Accept frames of `zstd --long=31`, which are common in published data sets.
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 31);
    }

    Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        ZSTD_inBuffer from{in.data(), in.size(), 0};
        const size_t hint = ZSTD_decompressStream(context_.get(), &to, &from);
        if (ZSTD_isError(hint) != 0) {
            throw FrameFault(format("damaged zstd data: {}", ZSTD_getErrorName(hint)));
        }
        is_between_ = hint == 0;
        return {from.pos, to.pos, is_between_};
    }
    bool is_between_frames() const override { return is_between_; }

 private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context_;
    bool is_between_ = true;
};

}  // namespace

std::unique_ptr<FrameDecoder> make_frame_decoder(Compression compression) {
    if (compression == Compression::kGzip) return std::make_unique<GzipDecoder>();
    return std::make_unique<ZstdDecoder>();
}

}  // namespace longhaul::io
