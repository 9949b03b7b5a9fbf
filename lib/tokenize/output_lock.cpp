// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTaskPrefix = ".task-", kCountPrefix = ".tasks-", kLockSuffix = ".lock";

std::vector<fs::path> lock_files(const fs::path& folder, std::string_view prefix) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(prefix) && name.ends_with(kLockSuffix)) found.push_back(entry.path());
    }
    return found;
}

/// Locks a file for this process alone. With `waits` a holder gets a little time: a launcher
/// returns, and a job is started again, while processes that were killed are still on their way
/// out.
/// @return 0, EWOULDBLOCK when it is still held, or why the file can not be locked
int lock_alone(int fd, bool waits) {
    using std::chrono::steady_clock;
    constexpr std::chrono::seconds kGrace{5};
    constexpr std::chrono::milliseconds kPause{50};
    const auto deadline = steady_clock::now() + kGrace;
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        if (error != EWOULDBLOCK || !waits || steady_clock::now() > deadline) return error;
        std::this_thread::sleep_for(kPause);
    }
    return 0;
}

/// Removes a lock file that a killed process has left. @return false when it is held
bool remove_unless_held(const fs::path& path, bool waits) {
    const io::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd) return true;
    if (const int error = lock_alone(fd.get(), waits); error != 0) return error != EWOULDBLOCK;
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
        const int error = lock_alone(fd_.get(), true);
        if (error == 0) continue;
        if (error == EWOULDBLOCK) {
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
    // Locks of other runs before those of their tasks, which go with them.
    for (const fs::path& path : lock_files(folder, kCountPrefix)) {
        if (path == count_path_ || remove_unless_held(path, true)) continue;
        const std::string name = path.filename().string();
        const size_t num_digits = name.size() - kCountPrefix.size() - kLockSuffix.size();
        throw UsageError(
            format("another tok-shard is writing {} as {} tasks, this one is one of {}; wait until "
                   "it has ended",
                   folder.string(), name.substr(kCountPrefix.size(), num_digits), count));
    }
    const std::string of_this_run = format("-of-{}{}", count, kLockSuffix);
    for (const fs::path& path : lock_files(folder, kTaskPrefix)) {
        if (!path.filename().string().ends_with(of_this_run)) remove_unless_held(path, false);
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
