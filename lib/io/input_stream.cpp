// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/stream.h"

namespace longhaul::io {

namespace {

constexpr size_t kStoredBuffer = 1 << 18;

/// The bytes as stored: counts and hashes what it hands out, with one block of look-ahead.
class StoredBytes {
 public:
    explicit StoredBytes(const std::string& path)
        : name_(path == "-" ? "standard input" : path), buffer_(kStoredBuffer) {
        if (path != "-") {
            fd_ = open_file(path, O_RDONLY);
            ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
        }
        refill();
    }

    std::span<const std::byte> available() const {
        return std::span(buffer_).subspan(begin_, end_ - begin_);
    }
    /// Takes `count` of the available bytes; @return false when the file has ended.
    void consume(size_t count) {
        begin_ += count;
        consumed_ += count;
    }
    bool refill() {
        if (begin_ < end_) return true;
        begin_ = 0;
        end_ = read_full(fd_ ? fd_.get() : STDIN_FILENO, buffer_, name_);
        hasher_.update(std::span<const std::byte>(buffer_).first(end_));
        return end_ > 0;
    }
    /// Plain bytes straight into the caller's buffer, past our own one when it is empty.
    size_t read_through(std::span<std::byte> out) {
        if (begin_ == end_ && out.size() >= kStoredBuffer) {
            const size_t n = read_full(fd_ ? fd_.get() : STDIN_FILENO, out, name_);
            hasher_.update(out.first(n));
            consumed_ += n;
            return n;
        }
        if (!refill()) return 0;
        const size_t n = std::min(out.size(), end_ - begin_);
        std::memcpy(out.data(), buffer_.data() + begin_, n);
        consume(n);
        return n;
    }

    const std::string& name() const { return name_; }
    uint64_t consumed() const { return consumed_; }
    Hash128 hash() const { return hasher_.digest(); }

 private:
    std::string name_;
    UniqueFd fd_;
    std::vector<std::byte> buffer_;
    size_t begin_ = 0, end_ = 0;
    uint64_t consumed_ = 0;
    Hasher128 hasher_;
};

class StoredInput : public InputStream {
 public:
    explicit StoredInput(StoredBytes stored) : stored_(std::move(stored)) {}
    const std::string& name() const override { return stored_.name(); }
    uint64_t stored_bytes() const override { return stored_.consumed(); }
    Hash128 stored_hash() const override { return stored_.hash(); }

 protected:
    [[noreturn]] void fail(const std::string& cause) const {
        throw DataError(stored_.name(), stored_.consumed(), cause);
    }
    StoredBytes stored_;
};

class PlainInput : public StoredInput {
 public:
    using StoredInput::StoredInput;
    size_t read(std::span<std::byte> buffer) override { return stored_.read_through(buffer); }
};

/// All members of a gzip file (RFC 1952 section 2.2), by ISA-L, which checks CRC and length.
class GzipInput : public StoredInput {
 public:
    explicit GzipInput(StoredBytes stored) : StoredInput(std::move(stored)) { begin_member(); }

    size_t read(std::span<std::byte> buffer) override {
        while (!buffer.empty()) {
            if (!in_member_ && !next_member()) return 0;
            if (!stored_.refill()) fail("the gzip member is cut short; copy the file again");
            const size_t got = inflate(buffer);
            if (got > 0) return got;
        }
        return 0;
    }

 private:
    void begin_member() {
        isal_inflate_init(&state_);
        state_.crc_flag = ISAL_GZIP;
        in_member_ = true;
    }

    bool next_member() {
        // Zero padding after the last member is legal (tape blocks); anything else is not.
        while (stored_.refill()) {
            const std::byte first = stored_.available()[0];
            if (first == std::byte{0x1f}) {
                begin_member();
                return true;
            }
            if (first != std::byte{0}) fail("rubbish after a gzip member");
            stored_.consume(1);
        }
        return false;
    }

    size_t inflate(std::span<std::byte> buffer) {
        const auto input = stored_.available();
        state_.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(input.data()));
        state_.avail_in = static_cast<uint32_t>(input.size());
        state_.next_out = reinterpret_cast<uint8_t*>(buffer.data());
        const size_t room = std::min<size_t>(buffer.size(), 1u << 30);
        state_.avail_out = static_cast<uint32_t>(room);
        const int status = isal_inflate(&state_);
        stored_.consume(input.size() - state_.avail_in);
        if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT) {
            fail(format("damaged gzip data (ISA-L error {})", status));
        }
        if (state_.block_state == ISAL_BLOCK_FINISH) in_member_ = false;
        return room - state_.avail_out;
    }

    inflate_state state_{};
    bool in_member_ = false;
};

/// All frames of a zstd file, skippable ones included (RFC 8878 section 3.1).
class ZstdInput : public StoredInput {
 public:
    explicit ZstdInput(StoredBytes stored)
        : StoredInput(std::move(stored)), context_(ZSTD_createDCtx()) {
        if (!context_) throw Error("out of memory for a zstd decoder");
        // Accept frames of `zstd --long=31`, which are common in published data sets.
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 31);
    }

    size_t read(std::span<std::byte> buffer) override {
        ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
        while (out.pos == 0 && !buffer.empty()) {
            const bool has_input = stored_.refill();
            if (!has_input && frame_is_complete_) return 0;
            const auto available = has_input ? stored_.available() : std::span<const std::byte>{};
            ZSTD_inBuffer in{available.data(), available.size(), 0};
            const size_t hint = ZSTD_decompressStream(context_.get(), &out, &in);
            stored_.consume(in.pos);
            if (ZSTD_isError(hint) != 0) {
                fail(format("damaged zstd data: {}", ZSTD_getErrorName(hint)));
            }
            frame_is_complete_ = hint == 0;
            if (!has_input && out.pos == 0 && !frame_is_complete_) {
                fail("the zstd frame is cut short; copy the file again");
            }
        }
        return out.pos;
    }

 private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context_;
    bool frame_is_complete_ = true;
};

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_zstd(std::span<const std::byte> bytes) {
    using namespace std::string_view_literals;
    if (starts_with(bytes, "\x28\xb5\x2f\xfd"sv)) return true;
    // A skippable frame: 0x184D2A5? little-endian.
    return bytes.size() >= 4 && (bytes[0] & std::byte{0xf0}) == std::byte{0x50} &&
           starts_with(bytes.subspan(1), "\x2a\x4d\x18"sv);
}

}  // namespace

std::unique_ptr<InputStream> open_input(const std::string& path) {
    StoredBytes stored(path);
    using namespace std::string_view_literals;
    if (starts_with(stored.available(), "\x1f\x8b"sv)) {
        return std::make_unique<GzipInput>(std::move(stored));
    }
    if (is_zstd(stored.available())) return std::make_unique<ZstdInput>(std::move(stored));
    if (stored.available().empty() && compression_by_name(path) != Compression::kNone) {
        throw DataError(path +
                        ": 0 bytes, but even an empty text has some when compressed; "
                        "copy the file again");
    }
    return std::make_unique<PlainInput>(std::move(stored));
}

std::string read_all(const std::string& path, uint64_t max_bytes) {
    const auto input = open_input(path);
    std::string text;
    std::array<char, 64 << 10> piece;
    while (const size_t n = input->read(std::as_writable_bytes(std::span(piece)))) {
        if (text.size() + n > max_bytes) {
            throw DataError(input->name(), text.size(), format("more than {} bytes", max_bytes));
        }
        text.append(piece.data(), n);
    }
    return text;
}

}  // namespace longhaul::io
