// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "lib/base/error.h"

namespace longhaul::io {

void FdTraits::close(int fd) noexcept {
    ::close(fd);
}

UniqueFd open_file(const std::filesystem::path& path, int flags, unsigned mode) {
    while (true) {
        const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
        if (fd >= 0) return UniqueFd(fd);
        if (errno != EINTR) throw IoError(format("cannot open {}", path.string()));
    }
}

size_t read_full(int fd, std::span<std::byte> buffer, const std::string& name) {
    size_t done = 0;
    while (done < buffer.size()) {
        const ssize_t n = ::read(fd, buffer.data() + done, buffer.size() - done);
        if (n == 0) break;
        if (n < 0) {
            if (errno == EINTR) continue;
            throw IoError(format("cannot read {}", name));
        }
        done += static_cast<size_t>(n);
    }
    return done;
}

void pread_exact(int fd, std::span<std::byte> buffer, uint64_t offset, const std::string& name) {
    size_t done = 0;
    while (done < buffer.size()) {
        const ssize_t n = ::pread(fd, buffer.data() + done, buffer.size() - done,
                                  static_cast<off_t>(offset + done));
        if (n < 0) {
            if (errno == EINTR) continue;
            throw IoError(format("cannot read {} at byte {}", name, offset + done));
        }
        if (n == 0) {
            throw DataError(name, offset + done,
                            format("the file ends here, {} bytes short", buffer.size() - done));
        }
        done += static_cast<size_t>(n);
    }
}

void write_full(int fd, std::span<const std::byte> bytes, const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            throw IoError(format("cannot write {}", name));
        }
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

void write_full(int fd, std::string_view bytes, const std::string& name) {
    write_full(fd, std::as_bytes(std::span(bytes)), name);
}

void pwrite_full(int fd, std::span<const std::byte> bytes, uint64_t offset,
                 const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0) {
            if (errno == EINTR) continue;
            throw IoError(format("cannot write {} at byte {}", name, offset));
        }
        bytes = bytes.subspan(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

void sync_and_close(UniqueFd fd, const std::string& name) {
    if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
        throw IoError(format("cannot write {} to disk", name));
    }
    if (::close(fd.release()) != 0) throw IoError(format("cannot close {}", name));
}

void sync_directory(const std::filesystem::path& directory) {
    const UniqueFd fd = open_file(directory, O_RDONLY | O_DIRECTORY);
    // Some network file systems refuse fsync of a directory; they order renames themselves.
    if (::fsync(fd.get()) != 0 && errno != EINVAL) {
        throw IoError(format("cannot sync folder {}", directory.string()));
    }
}

uint64_t file_size(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) throw IoError(format("cannot stat {}", path.string()));
    return static_cast<uint64_t>(info.st_size);
}

std::string read_text_file(const std::filesystem::path& path, uint64_t max_bytes) {
    const UniqueFd fd = open_file(path, O_RDONLY);
    std::string text;
    static constexpr size_t kChunk = 1 << 16;
    while (true) {
        const size_t old = text.size();
        text.resize(old + kChunk);
        const auto buffer = std::as_writable_bytes(std::span(text)).subspan(old);
        const size_t n = read_full(fd.get(), buffer, path.string());
        text.resize(old + n);
        if (text.size() > max_bytes) {
            throw DataError(format("{}: larger than {} bytes", path.string(), max_bytes));
        }
        if (n < kChunk) return text;
    }
}

uint64_t free_space_bytes(const std::filesystem::path& path) {
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) {
        throw IoError(format("cannot ask the free space of {}", path.string()));
    }
    return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace longhaul::io
