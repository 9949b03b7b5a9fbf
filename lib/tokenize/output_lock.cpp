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

OutputLock::OutputLock(const fs::path& folder, Task task)
    : path_(folder / format(".task-{}-of-{}.lock", task.index, task.count)) {
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

OutputLock::~OutputLock() {
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
