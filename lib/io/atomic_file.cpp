// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "lib/base/error.h"

namespace longhaul::io {

namespace {

std::filesystem::path temporary_name(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    std::filesystem::path path = target;
    path.replace_filename(
        format(".{}.tmp-{}-{}", target.filename().string(), ::getpid(), counter++));
    return path;
}

std::filesystem::path folder_of(const std::filesystem::path& target) {
    return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

/// The error names the file that the user asked for.
UniqueFd create(const std::filesystem::path& temporary, const std::filesystem::path& target) {
    try {
        return open_file(temporary, O_RDWR | O_CREAT | O_EXCL);
    } catch (const IoError& error) {
        throw IoError(format("cannot create {}", target.string()), error.error_number());
    }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
    std::error_code ignored;
    if (std::filesystem::is_symlink(target_, ignored)) {
        const auto resolved = std::filesystem::weakly_canonical(target_, ignored);
        if (!ignored) target_ = resolved;
    }
    const auto status = std::filesystem::status(target_, ignored);
    const bool is_special = std::filesystem::exists(status) &&
                            !std::filesystem::is_regular_file(status) &&
                            !std::filesystem::is_directory(status);
    if (is_special) {
        fd_ = open_file(target_, O_WRONLY);
        return;
    }
    // Another host's process of the same number may have left the name.
    do {
        temporary_ = temporary_name(target_);
    } while (std::filesystem::exists(temporary_));
    fd_ = create(temporary_, target_);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept = default;

AtomicFile::~AtomicFile() {
    if (fd_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    write_full(fd_.get(), bytes, target_.string());
}

void AtomicFile::write(std::string_view bytes) {
    write_full(fd_.get(), bytes, target_.string());
}

void AtomicFile::commit() {
    if (temporary_.empty()) {
        if (::close(fd_.release()) != 0) {
            throw IoError(format("cannot close {}", target_.string()));
        }
        return;
    }
    try {
        sync_and_close(std::move(fd_), target_.string());
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
            throw IoError(format("cannot rename {} to {}", temporary_.string(), target_.string()));
        }
    } catch (...) {
        ::unlink(temporary_.c_str());
        throw;
    }
    sync_directory(folder_of(target_));
}

void write_file_atomically(const std::filesystem::path& target, std::string_view content) {
    AtomicFile file(target);
    file.write(content);
    file.commit();
}

void remove_stale_temporaries(const std::filesystem::path& target) {
    const std::string prefix = format(".{}.tmp-", target.filename().string());
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(target), error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix)) continue;
        const int pid = std::atoi(name.c_str() + prefix.size());
        const bool is_gone = pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
        if (is_gone) std::filesystem::remove(entry.path(), error);
    }
}

void create_directories(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw IoError(format("cannot create folder {}", path.string()), error.value());
}

}  // namespace longhaul::io
