// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <optional>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/stream.h"

namespace longhaul::io {

namespace {

constexpr size_t kBuffer = 1 << 18;

/// Buffered bytes to stdout or to an AtomicFile, counted and hashed as stored.
class StoredSink {
 public:
    explicit StoredSink(const std::string& path) {
        if (path != "-") file_.emplace(path);
        buffer_.reserve(kBuffer);
    }
    void write(std::span<const std::byte> bytes) {
        if (buffer_.size() + bytes.size() > kBuffer) flush();
        if (bytes.size() >= kBuffer) {
            put(bytes);
        } else {
            buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        }
    }
    void close() {
        flush();
        if (file_) file_->commit();
    }
    uint64_t bytes() const { return bytes_; }
    Hash128 hash() const { return hasher_.digest(); }

 private:
    void flush() {
        put(buffer_);
        buffer_.clear();
    }
    void put(std::span<const std::byte> bytes) {
        hasher_.update(bytes);
        bytes_ += bytes.size();
        if (file_) {
            file_->write(bytes);
        } else {
            write_full(STDOUT_FILENO, bytes, "standard output");
        }
    }

    std::optional<AtomicFile> file_;
    std::vector<std::byte> buffer_;
    uint64_t bytes_ = 0;
    Hasher128 hasher_;
};

class StoredOutput : public OutputStream {
 public:
    explicit StoredOutput(const std::string& path) : sink_(path) {}
    uint64_t stored_bytes() const override { return sink_.bytes(); }
    Hash128 stored_hash() const override { return sink_.hash(); }

 protected:
    StoredSink sink_;
};

class PlainOutput : public StoredOutput {
 public:
    using StoredOutput::StoredOutput;
    void write(std::span<const std::byte> bytes) override { sink_.write(bytes); }
    void close() override { sink_.close(); }
};

class GzipOutput : public StoredOutput {
 public:
    explicit GzipOutput(const std::string& path)
        : StoredOutput(path), level_buffer_(ISAL_DEF_LVL1_DEFAULT), out_(kBuffer) {
        isal_deflate_init(&stream_);
        stream_.gzip_flag = IGZIP_GZIP;
        stream_.level = 1;
        stream_.level_buf = level_buffer_.data();
        stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
    }
    void write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min<size_t>(bytes.size(), 1u << 30));
            deflate(part, false);
            bytes = bytes.subspan(part.size());
        }
    }
    void close() override {
        deflate({}, true);
        sink_.close();
    }

 private:
    void deflate(std::span<const std::byte> bytes, bool is_last) {
        stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(bytes.data()));
        stream_.avail_in = static_cast<uint32_t>(bytes.size());
        stream_.end_of_stream = is_last ? 1 : 0;
        do {
            stream_.next_out = reinterpret_cast<uint8_t*>(out_.data());
            stream_.avail_out = static_cast<uint32_t>(out_.size());
            if (const int status = isal_deflate(&stream_); status != COMP_OK) {
                throw Error(format("gzip compression failed (ISA-L error {})", status));
            }
            sink_.write(std::span(out_).first(out_.size() - stream_.avail_out));
        } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    }

    isal_zstream stream_{};
    std::vector<uint8_t> level_buffer_;
    std::vector<std::byte> out_;
};

class ZstdOutput : public StoredOutput {
 public:
    explicit ZstdOutput(const std::string& path)
        : StoredOutput(path), context_(ZSTD_createCCtx()), out_(ZSTD_CStreamOutSize()) {
        if (!context_) throw Error("out of memory for a zstd encoder");
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 3);
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    }
    void write(std::span<const std::byte> bytes) override { compress(bytes, ZSTD_e_continue); }
    void close() override {
        compress({}, ZSTD_e_end);
        sink_.close();
    }

 private:
    void compress(std::span<const std::byte> bytes, ZSTD_EndDirective mode) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        while (true) {
            ZSTD_outBuffer out{out_.data(), out_.size(), 0};
            const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, mode);
            if (ZSTD_isError(left) != 0) {
                throw Error(format("zstd compression failed: {}", ZSTD_getErrorName(left)));
            }
            sink_.write(std::span(out_).first(out.pos));
            if (mode == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
        }
    }

    struct Free {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };
    std::unique_ptr<ZSTD_CCtx, Free> context_;
    std::vector<std::byte> out_;
};

}  // namespace

Compression compression_by_name(const std::filesystem::path& path) {
    if (path.extension() == ".gz") return Compression::kGzip;
    if (path.extension() == ".zst") return Compression::kZstd;
    return Compression::kNone;
}

std::unique_ptr<OutputStream> open_output(const std::string& path) {
    switch (compression_by_name(path)) {
        case Compression::kGzip:
            return std::make_unique<GzipOutput>(path);
        case Compression::kZstd:
            return std::make_unique<ZstdOutput>(path);
        case Compression::kNone:
            break;
    }
    return std::make_unique<PlainOutput>(path);
}

}  // namespace longhaul::io
