// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// File descriptors and whole-buffer reads and writes that throw IoError naming the file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/handle.h"

namespace longhaul::io {

struct FdTraits {
    using Handle = int;
    static int null() { return -1; }
    static void close(int fd) noexcept;
};
/// Owner of a descriptor. The destructor ignores a failed close: writers call close_file().
class UniqueFd : public UniqueHandle<FdTraits> {
 public:
    UniqueFd() : UniqueHandle(-1) {}
    explicit UniqueFd(int fd) : UniqueHandle(fd) {}
};

/// open(2) with O_CLOEXEC, restarted on EINTR. @throws IoError "cannot open PATH: ...".
UniqueFd open_file(const std::filesystem::path& path, int flags, unsigned mode = 0666);

/// Reads until `buffer` is full or the end; @return bytes read.
size_t read_full(int fd, std::span<std::byte> buffer, const std::string& name);
/// Reads exactly `buffer.size()` bytes at `offset`. @throws DataError on a short file.
void pread_exact(int fd, std::span<std::byte> buffer, uint64_t offset, const std::string& name);
/// Writes everything, restarting short writes and EINTR.
void write_full(int fd, std::span<const std::byte> bytes, const std::string& name);
void write_full(int fd, std::string_view bytes, const std::string& name);
void pwrite_full(int fd, std::span<const std::byte> bytes, uint64_t offset,
                 const std::string& name);

/// fsync(2), then close(2), both checked: NFS and quotas report lost data only here.
void sync_and_close(UniqueFd fd, const std::string& name);
/// fsync of a directory, so that a rename in it survives a power cut.
void sync_directory(const std::filesystem::path& directory);

uint64_t file_size(const std::filesystem::path& path);
/// The whole file as text. @throws IoError; DataError when it is larger than `max_bytes`.
std::string read_text_file(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 30);
/// Bytes free for an unprivileged user on the file system of `path`.
uint64_t free_space_bytes(const std::filesystem::path& path);

}  // namespace longhaul::io
