// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTaskPrefix = ".task-", kCountPrefix = ".tasks-", kLockSuffix = ".lock";

std::vector<fs::path> lock_files(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().filename().string().ends_with(kLockSuffix)) found.push_back(entry.path());
    }
    return found;
}

/// Removes a lock file that a killed process has left. @return false when it is held
bool remove_unless_held(const fs::path& path) {
    const io::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd) return true;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    ::unlink(path.c_str());
    return true;
}

/// False when the holder before us has removed the file that we had opened.
bool is_still_there(const fs::path& path, int fd) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// The unit in ".shard-UUUUU-...".
std::optional<uint64_t> unit_of(const std::string& name) {
    constexpr std::string_view kPrefix = ".shard-";
    uint64_t unit = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kPrefix.size(), end, unit);
    if (parsed.ec != std::errc()) return std::nullopt;
    return unit;
}

void remove_temporary(const fs::path& path, Task task) {
    const std::string name = path.filename().string();
    const size_t mark = name.find(".tmp-");
    if (!name.starts_with(".") || mark == std::string::npos) return;
    const auto unit = unit_of(name);
    // The other files are written by all tasks: another one may be at it.
    const bool is_ours = unit ? *unit % task.count == task.index : task.count == 1;
    std::error_code ignored;
    if (is_ours) fs::remove(path, ignored);
}

}  // namespace

OutputLock::OutputLock(const fs::path& folder, Task task) {
    lock_task(folder, task);
    lock_count(folder, task.count);
}

void OutputLock::lock_task(const fs::path& folder, Task task) {
    path_ = folder / format("{}{}-of-{}{}", kTaskPrefix, task.index, task.count, kLockSuffix);
    do {
        fd_ = io::UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!fd_) return;  // read-only: what writes will say so
        if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) continue;
        if (errno == EWOULDBLOCK) {
            throw UsageError(
                format("another tok-shard is writing {} (task {} of {}); wait until it has ended",
                       folder.string(), task.index, task.count));
        }
        return;
    } while (!is_still_there(path_, fd_.get()));
}

/// All tasks of a run share one lock, named by their number; another one that is held means that
/// the folder is being written in other shares.
void OutputLock::lock_count(const fs::path& folder, uint64_t count) {
    count_path_ = folder / format("{}{}{}", kCountPrefix, count, kLockSuffix);
    do {
        count_fd_ = io::UniqueFd(::open(count_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!count_fd_ || ::flock(count_fd_.get(), LOCK_SH) != 0) return;
    } while (!is_still_there(count_path_, count_fd_.get()));
    for (const fs::path& path : lock_files(folder)) {
        const std::string name = path.filename().string();
        const bool is_of_run = name.starts_with(kCountPrefix);
        const bool is_of_task = name.starts_with(kTaskPrefix);
        if (path == count_path_ || (!is_of_run && !is_of_task)) continue;
        if (is_of_task && name.ends_with(format("-of-{}{}", count, kLockSuffix))) continue;
        if (remove_unless_held(path) || !is_of_run) continue;
        throw UsageError(
            format("another tok-shard is writing {} as {} tasks, this one is one of {}; wait until "
                   "it has ended",
                   folder.string(),
                   name.substr(kCountPrefix.size(),
                               name.size() - kCountPrefix.size() - kLockSuffix.size()),
                   count));
    }
}

OutputLock::~OutputLock() {
    if (count_fd_ && ::flock(count_fd_.get(), LOCK_EX | LOCK_NB) == 0) {
        ::unlink(count_path_.c_str());  // the last one
    }
    if (fd_) ::unlink(path_.c_str());
}

void remove_leftovers(const fs::path& folder, Task task) {
    for (const fs::path& place : {folder, folder / "tokenizer"}) {
        std::vector<fs::path> found;
        std::error_code missing;
        for (const auto& entry : fs::directory_iterator(place, missing)) {
            found.push_back(entry.path());
        }
        for (const fs::path& path : found) remove_temporary(path, task);
    }
    std::error_code ignored;
    if (fs::exists(folder / "manifest.json")) fs::remove_all(folder / ".units", ignored);
}

}  // namespace longhaul::tokenize
