// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/atomic_file.h"
#include "lib/log/log.h"

namespace longhaul::shards {

namespace fs = std::filesystem;

namespace {

/// Takes a lock of flock(2). @return false when another one holds it and `operation` has LOCK_NB.
bool take_flock(int fd, int operation, const std::string& name) {
    while (flock(fd, operation) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) throw IoError(format("cannot lock {}", name), errno);
    }
    return true;
}

struct Entry {
    fs::path path;
    uint64_t bytes;
    timespec used;
};

/// All files of the cache but locks: copies, and temporaries of copies under way or of killed
/// processes.
std::vector<Entry> entries_of(const fs::path& folder) {
    std::vector<Entry> entries;
    for (const auto& item : fs::directory_iterator(folder)) {
        if (!item.is_directory()) continue;
        std::error_code gone;
        for (const auto& file : fs::directory_iterator(item.path(), gone)) {
            struct stat status {};
            if (::stat(file.path().c_str(), &status) != 0) continue;  // another one removed it
            entries.push_back({file.path(), static_cast<uint64_t>(status.st_size), status.st_mtim});
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
        if (a.used.tv_nsec != b.used.tv_nsec) return a.used.tv_nsec < b.used.tv_nsec;
        return a.path < b.path;
    });
    return entries;
}

/// Removes a file that nobody has locked.
bool remove_unused(const fs::path& path) {
    const io::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0 || !take_flock(fd.get(), LOCK_EX | LOCK_NB, path.string())) return false;
    std::error_code error;
    fs::remove(path, error);
    if (error) return false;
    fs::remove(path.parent_path(), error);  // fails while other files are in it
    return true;
}

}  // namespace

ShardCache::ShardCache(fs::path folder, uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {
    try {
        io::create_directories(folder_);
        if (limit_bytes_ == 0) {
            const fs::space_info space = fs::space(folder_);
            limit_bytes_ = space.capacity / 10 * 9;
        }
    } catch (const std::exception& error) {
        complain(error.what(), true);
    }
}

void ShardCache::complain(const std::string& why, bool is_broken) {
    const std::lock_guard lock(mutex_);
    if (!has_complained_) {
        log::warn("data.cache_dir {}: {}; such shards are read where they are", folder_.string(),
                  why);
    }
    has_complained_ = true;
    is_broken_ |= is_broken;
}

fs::path ShardCache::path_of(const CachedFile& file) const {
    return folder_ / file.hash.hex() / file.name;
}

io::UniqueFd ShardCache::lock(const std::string& name, Wait wait) const {
    const fs::path path = folder_ / ("lock-" + name);
    io::UniqueFd fd = io::open_file(path, O_RDWR | O_CREAT, 0666);
    const int operation = LOCK_EX | (wait == Wait::kNo ? LOCK_NB : 0);
    if (!take_flock(fd.get(), operation, path.string())) return {};
    return fd;
}

/// Marks the copy as in use and as used now. @return false when there is none.
bool ShardCache::lease(const CachedFile& file) {
    const fs::path path = path_of(file);
    io::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0 || !take_flock(fd.get(), LOCK_SH | LOCK_NB, path.string())) return false;
    // It may have been removed between open and lock; then its last link is gone.
    struct stat status {};
    if (fstat(fd.get(), &status) != 0 || status.st_nlink == 0) return false;
    if (static_cast<uint64_t>(status.st_size) != file.bytes) return false;
    futimens(fd.get(), nullptr);
    const std::lock_guard lock(mutex_);
    leases_.push_back(std::move(fd));
    return true;
}

/// Called under the room lock.
bool ShardCache::make_room(uint64_t bytes) const {
    const std::vector<Entry> entries = entries_of(folder_);
    uint64_t total = 0;
    for (const Entry& entry : entries) total += entry.bytes;
    for (const Entry& entry : entries) {
        const bool is_temporary = entry.path.filename().string().starts_with(".");
        const bool is_full = total + bytes > limit_bytes_ || io::free_space_bytes(folder_) < bytes;
        if (!is_full && !is_temporary) continue;
        if (remove_unused(entry.path)) total -= entry.bytes;
    }
    return total + bytes <= limit_bytes_ && io::free_space_bytes(folder_) >= bytes;
}

/// A temporary that is locked and has its full size from the start, so that others count it.
/// @return nothing when there is no room.
std::optional<io::AtomicFile> ShardCache::reserve(const CachedFile& file) const {
    const io::UniqueFd room = lock("room", Wait::kYes);
    const fs::path path = path_of(file);
    std::error_code error;
    fs::remove(path, error);  // of another size: torn by an earlier fault
    if (!make_room(file.bytes)) return std::nullopt;
    io::create_directories(path.parent_path());
    io::AtomicFile out(path);
    take_flock(out.fd(), LOCK_EX | LOCK_NB, out.temporary().string());
    if (file.bytes == 0) return out;
    const int failure = posix_fallocate(out.fd(), 0, static_cast<off_t>(file.bytes));
    if (failure == ENOSPC || failure == EDQUOT || failure == EFBIG) return std::nullopt;
    if (failure != 0) throw IoError(format("cannot extend {}", out.temporary().string()), failure);
    return out;
}

void ShardCache::copy(const fs::path& source, const CachedFile& file, io::AtomicFile out) {
    const fs::path from = source / file.name;
    const io::UniqueFd in = io::open_file(from, O_RDONLY);
    std::vector<std::byte> block(std::min<uint64_t>(file.bytes, uint64_t{4} << 20));
    Hasher128 hasher;
    for (uint64_t at = 0; at < file.bytes; at += block.size()) {
        const auto part = std::span(block).first(std::min<uint64_t>(block.size(), file.bytes - at));
        io::pread_exact(in.get(), part, at, from.string());
        hasher.update(part);
        io::pwrite_full(out.fd(), part, at, out.temporary().string());
    }
    if (hasher.digest() != file.hash) {
        throw DataError(
            format("{}: its content is not what manifest.json says (XXH3-128 {}, not "
                   "{}): run tok-shard verify, and restore the file",
                   from.string(), hasher.digest().hex(), file.hash.hex()));
    }
    out.commit();
}

bool ShardCache::obtain(const fs::path& source, const CachedFile& file, Wait wait) {
    {
        const std::lock_guard lock(mutex_);
        if (is_broken_) return false;
    }
    try {
        if (lease(file)) return true;
        const io::UniqueFd turn = lock(file.hash.hex().substr(0, 2), wait);
        if (turn.get() < 0) return false;
        if (lease(file)) return true;  // another one has copied it meanwhile
        std::optional<io::AtomicFile> out = reserve(file);
        if (!out) {
            complain(format("no room for {} below its limit of {}", file.name,
                            human_bytes(limit_bytes_)),
                     false);
            return false;
        }
        copy(source, file, std::move(*out));
        return lease(file);
    } catch (const IoError& error) {
        complain(error.describe(), true);
    } catch (const fs::filesystem_error& error) {
        complain(error.what(), true);
    }
    return false;
}

void ShardCache::fill(const fs::path& source, const std::vector<CachedFile>& files) {
    // Neighbouring process ids begin far from each other.
    const uint64_t start =
        files.empty() ? 0 : static_cast<uint64_t>(getpid()) * 7919 % files.size();
    for (size_t i = 0; i < files.size(); ++i) {
        obtain(source, files[(start + i) % files.size()], Wait::kNo);
    }
}

fs::path ShardCache::folder_of(const fs::path& source, const CachedFile& file) {
    return obtain(source, file, Wait::kYes) ? path_of(file).parent_path() : source;
}

}  // namespace longhaul::shards
