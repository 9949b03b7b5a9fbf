// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A gzip or zstd input as a stream. Where frames tell their size, other threads unpack some of them
// before it is their turn, within a bound of memory; everything else, and every frame that turns
// out to be damaged, goes through one streaming decoder. So bytes and errors do not depend on who
// was there to help.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "lib/io/frame_decoder.h"
#include "lib/io/stored_bytes.h"
#include "lib/io/stream.h"

namespace longhaul::io {

class PackedInput final : public InputStream {
 public:
    PackedInput(StoredBytes stored, Compression compression, const ReadAhead& ahead);
    ~PackedInput() override;

    size_t read(std::span<std::byte> buffer) override;
    const std::string& name() const override { return stored_.name(); }
    uint64_t stored_bytes() const override { return at_; }
    Hash128 stored_hash() const override { return stored_.hash(); }

 private:
    class Chunk;

    void look_ahead();
    std::shared_ptr<Chunk> next_chunk();
    size_t read_chunk(std::span<std::byte> buffer);
    void stop_looking_ahead();
    size_t read_stream(std::span<std::byte> buffer);
    [[noreturn]] void fail_damaged(const char* cause) const;
    [[noreturn]] void fail_cut() const;

    StoredBytes stored_;
    Compression compression_;
    ReadAhead ahead_;
    std::unique_ptr<FrameDecoder> decoder_;
    uint64_t at_ = 0;           // stored bytes whose content was given
    uint64_t frame_begin_ = 0;  // of the frame at at_
    uint64_t frame_ = 1;        // its number
    std::deque<std::shared_ptr<Chunk>> chunks_;
    uint64_t ahead_bytes_ = 0;   // in chunks_
    bool is_streaming_ = false;  // what follows chunks_ can not be unpacked ahead
};

}  // namespace longhaul::io
