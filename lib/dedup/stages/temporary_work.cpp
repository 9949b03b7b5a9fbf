// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/temporary_work.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "lib/base/error.h"
#include "lib/dedup/spill.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "longhaul-dedup-";
constexpr const char* kLockFile = "lock";

/// Nothing when another process holds it, or the file system has no locks.
io::UniqueFd try_to_lock(const fs::path& file, int flags) {
    io::UniqueFd fd(::open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0600));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
    return fd;
}

/// Its owner was killed before it had made the file. A young one may be about to.
bool is_without_lock(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / kLockFile, error) || error) return false;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(folder, error);
    return !error && age > std::chrono::hours(1);
}

/// What can not be removed, other users' folders for instance, stays.
void remove_abandoned(const fs::path& parent) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
        std::error_code ignored;
        const bool is_ours = entry.path().filename().string().starts_with(kPrefix) &&
                             entry.is_directory(ignored) && !entry.is_symlink(ignored);
        if (!is_ours) continue;
        const io::UniqueFd lock = try_to_lock(entry.path() / kLockFile, 0);
        if (!lock && !is_without_lock(entry.path())) continue;
        fs::remove_all(entry.path(), ignored);
        if (!ignored) log::info("removed {}, which a killed run has left", entry.path().string());
    }
}

}  // namespace

TemporaryWork::TemporaryWork(const std::string& tmp_dir) {
    const fs::path parent = SpillArea(tmp_dir).folder();
    remove_abandoned(parent);
    std::string name = (parent / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw IoError(format("cannot create a folder {} (see --tmp-dir)", name));
    }
    path_ = name;
    // It has its name only when it is locked, so that nobody else can lock it first.
    const fs::path begun = fs::path(path_) / "lock.begun";
    std::error_code ignored;
    lock_ = try_to_lock(begun, O_CREAT);
    if (lock_) fs::rename(begun, fs::path(path_) / kLockFile, ignored);
}

TemporaryWork::~TemporaryWork() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace longhaul::dedup
