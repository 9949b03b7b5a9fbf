// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Byte streams over plain, gzip (all members) and zstd (all frames) files, stdin and stdout.
// The compression of an input is recognised by its first bytes, never by its name. A file that
// ends inside a member or frame, or holds rubbish after one, is a DataError naming the byte.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/hash.h"

namespace longhaul::io {

enum class Compression { kNone, kGzip, kZstd };

/// By the file's name: ".gz" and ".zst"; used for outputs.
Compression compression_by_name(const std::filesystem::path& path);

/// A source of decompressed bytes. Not thread-safe.
class InputStream {
 public:
    virtual ~InputStream() = default;
    /// Fills up to `buffer.size()` bytes. @return bytes given; 0 only at the proper end.
    /// @throws IoError, DataError (cut or damaged container)
    virtual size_t read(std::span<std::byte> buffer) = 0;
    /// Path as given, or "standard input".
    virtual const std::string& name() const = 0;
    /// Bytes consumed of the file as stored, for progress.
    virtual uint64_t stored_bytes() const = 0;
    /// XXH3-128 of the bytes as stored; complete once read() has returned 0.
    virtual Hash128 stored_hash() const = 0;
};

class TaskQueue;

/// Where other threads find frames to unpack before it is their turn, and the memory for them.
struct ReadAhead {
    TaskQueue* tasks = nullptr;  // must outlive the stream; none: one frame after another
    uint64_t max_bytes = 0;      // of frames, packed and unpacked; half of it for any single one
};

/// Opens `path` ("-" is stdin) and recognises its compression. zstd frames and BGZF members (as
/// bgzip writes them) can be unpacked ahead; other gzip members do not tell their size. Bytes and
/// errors do not depend on `ahead`.
/// @throws DataError also for a file of 0 bytes whose name says gzip or zstd: what a broken-off
///         copy leaves.
std::unique_ptr<InputStream> open_input(const std::string& path, const ReadAhead& ahead = {});
/// Everything that open_input(path) gives. @throws DataError when it is more than `max_bytes`.
std::string read_all(const std::string& path, uint64_t max_bytes);

/// A sink of bytes, compressed as asked. close() must be called: it reports lost data.
class OutputStream {
 public:
    virtual ~OutputStream() = default;
    virtual void write(std::span<const std::byte> bytes) = 0;
    void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }
    /// Ends the container, flushes, and makes a file visible under its name (AtomicFile).
    virtual void close() = 0;
    virtual uint64_t stored_bytes() const = 0;
    virtual Hash128 stored_hash() const = 0;
};

/// Opens `path` ("-" is stdout, never compressed) for writing; the compression follows the name.
/// Compressed outputs are zstd frames or gzip members of 2 MiB of content each.
/// @param tasks where other threads find frames to pack; must outlive the stream. The bytes do not
///        depend on it.
std::unique_ptr<OutputStream> open_output(const std::string& path, TaskQueue* tasks = nullptr);

}  // namespace longhaul::io
