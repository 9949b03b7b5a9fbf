// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <iterator>
#include <system_error>
#include <thread>

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

/// Takes a shared lock on a complete file, if it is there.
io::UniqueFd lease_file(const fs::path& path, uint64_t bytes) {
    io::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0 || !take_flock(fd.get(), LOCK_SH | LOCK_NB, path.string())) return {};
    // It may have been removed between open and lock; then its last link is gone.
    struct stat status {};
    if (fstat(fd.get(), &status) != 0 || status.st_nlink == 0) return {};
    if (static_cast<uint64_t>(status.st_size) != bytes) return {};
    return fd;
}

/// Copies all bytes. @return their hash; of a file with several parts: of the parts' hashes.
/// @throws DataError: a part is not what the manifest says.
Hash128 copy_bytes(const fs::path& from, const CachedFile& file, const io::AtomicFile& out) {
    const io::UniqueFd in = io::open_file(from, O_RDONLY);
    std::vector<std::byte> block(std::min<uint64_t>(file.bytes, uint64_t{4} << 20));
    Hasher128 hasher;
    const auto copy_part = [&](uint64_t begin, uint64_t bytes) {
        hasher.reset();
        for (uint64_t at = begin; at < begin + bytes; at += block.size()) {
            const auto part =
                std::span(block).first(std::min<uint64_t>(block.size(), begin + bytes - at));
            io::pread_exact(in.get(), part, at, from.string());
            hasher.update(part);
            io::pwrite_full(out.fd(), part, at, out.temporary().string());
        }
    };
    if (file.parts.empty()) {
        copy_part(0, file.bytes);
        return hasher.digest();
    }
    uint64_t begin = 0;
    for (const CachedFile::Part& part : file.parts) {
        copy_part(begin, part.bytes);
        if (hasher.digest() != part.hash) {
            throw DataError(from.string(), begin,
                            format("the content from here on is not what manifest.json says "
                                   "(XXH3-128 {}, not {}): run tok-shard verify, and restore the "
                                   "file",
                                   hasher.digest().hex(), part.hash.hex()));
        }
        begin += part.bytes;
    }
    return content_of(file);
}

Hash128 hash_of_place(const fs::path& source, const CachedShard& shard) {
    return xxh3_128(state_of(source / shard.files.front().name).path.string());
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

io::UniqueFd ShardCache::lock(const std::string& name, Wait wait) const {
    const fs::path path = folder_ / ("lock-" + name);
    io::UniqueFd fd = io::open_file(path, O_RDWR | O_CREAT, 0666);
    const int operation = LOCK_EX | (wait == Wait::kNo ? LOCK_NB : 0);
    if (!take_flock(fd.get(), operation, path.string())) return {};
    return fd;
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
std::optional<io::AtomicFile> ShardCache::reserve(const fs::path& target, uint64_t bytes) const {
    const io::UniqueFd room = lock("room", Wait::kYes);
    std::error_code error;
    fs::remove(target, error);  // of another size: torn by an earlier fault
    if (!make_room(bytes)) return std::nullopt;
    io::create_directories(target.parent_path());
    io::AtomicFile out(target);
    take_flock(out.fd(), LOCK_EX | LOCK_NB, out.temporary().string());
    if (bytes == 0) return out;
    const int failure = posix_fallocate(out.fd(), 0, static_cast<off_t>(bytes));
    if (failure == ENOSPC || failure == EDQUOT || failure == EFBIG) return std::nullopt;
    if (failure != 0) throw IoError(format("cannot extend {}", out.temporary().string()), failure);
    return out;
}

/// What names the shard in the cache, if that can be told without reading the files.
ShardCache::Key ShardCache::known_key(const fs::path& source, const CachedShard& shard) const {
    std::vector<Hash128> contents;
    for (const CachedFile& file : shard.files) {
        const auto content = file.parts.empty()
                                 ? remembered_content(folder_, state_of(source / file.name))
                                 : std::optional(content_of(file));
        if (!content) return std::nullopt;
        contents.push_back(*content);
    }
    return key_of(shard, contents);
}

/// Marks the copies as in use and as used now. @return false when they are not all there.
bool ShardCache::lease(const Hash128& key, const CachedShard& shard) {
    Leases leases;
    for (const CachedFile& file : shard.files) {
        leases.push_back(lease_file(path_of(key) / file.name, file.bytes));
        if (leases.back().get() < 0) return false;
    }
    for (const io::UniqueFd& fd : leases) futimens(fd.get(), nullptr);
    const std::lock_guard guard(mutex_);
    std::move(leases.begin(), leases.end(), std::back_inserter(leases_));
    return true;
}

/// @param held gets a lock on the copy, so that it stays.
/// @return its content; nothing when there is no room.
std::optional<Hash128> ShardCache::copy_file(const fs::path& source, const CachedFile& file,
                                             const fs::path& target, Leases& held) {
    if (!file.parts.empty()) {  // copied by a process that did not come to the others
        io::UniqueFd there = lease_file(target, file.bytes);
        if (there.get() >= 0) {
            held.push_back(std::move(there));
            return content_of(file);
        }
    }
    std::optional<io::AtomicFile> out = reserve(target, file.bytes);
    if (!out) {
        complain(
            format("no room for {} below its limit of {}", file.name, human_bytes(limit_bytes_)),
            false);
        return std::nullopt;
    }
    const Hash128 content = copy_bytes(source / file.name, file, *out);
    // The lock belongs to the open file, which lives on in its copy.
    held.emplace_back(::fcntl(out->fd(), F_DUPFD_CLOEXEC, 0));
    out->commit();
    if (held.back().get() >= 0) take_flock(held.back().get(), LOCK_SH, target.string());
    return content;
}

/// Moves copies to where their content belongs, and remembers it.
ShardCache::Key ShardCache::name_by_content(const fs::path& copies, const CachedShard& shard,
                                            const std::vector<FileState>& states,
                                            const std::vector<Hash128>& contents) const {
    const Hash128 key = key_of(shard, contents);
    io::create_directories(path_of(key));
    for (const CachedFile& file : shard.files) {
        fs::rename(copies / file.name, path_of(key) / file.name);
    }
    std::error_code error;
    fs::remove(copies, error);
    for (size_t i = 0; i < states.size(); ++i) remember_content(folder_, states[i], contents[i]);
    return key;
}

/// @param key unknown: the content is learned on the way. @return nothing when there is no room, or
/// the files change meanwhile.
ShardCache::Key ShardCache::copy_shard(const fs::path& source, const CachedShard& shard,
                                       const Key& key) {
    const fs::path copies =
        key ? path_of(*key) : folder_ / ("new-" + hash_of_place(source, shard).hex());
    std::vector<FileState> states;
    for (const CachedFile& file : shard.files) states.push_back(state_of(source / file.name));
    std::vector<Hash128> contents;
    Leases held;
    for (const CachedFile& file : shard.files) {
        const auto content = copy_file(source, file, copies / file.name, held);
        if (!content) return std::nullopt;
        contents.push_back(*content);
    }
    // A remembered content is checked here, where the file is read anyway.
    if (key && key_of(shard, contents) == *key) return key;
    for (size_t i = 0; i < states.size(); ++i) {
        if (state_of(source / shard.files[i].name) == states[i]) continue;
        complain(format("{} changed while it was copied", shard.files[i].name), false);
        return std::nullopt;
    }
    return name_by_content(copies, shard, states, contents);
}

ShardCache::Key ShardCache::obtain(const fs::path& source, const CachedShard& shard, Wait wait) {
    {
        const std::lock_guard guard(mutex_);
        if (is_broken_) return std::nullopt;
    }
    try {
        Key key = known_key(source, shard);
        if (key && lease(*key, shard)) return key;
        const Hash128 turn_hash = key ? *key : hash_of_place(source, shard);
        const io::UniqueFd turn = lock(turn_hash.hex().substr(0, 2), wait);
        if (turn.get() < 0) return std::nullopt;
        if (!key) key = known_key(source, shard);
        if (key && lease(*key, shard)) return key;  // another one has copied it meanwhile
        key = copy_shard(source, shard, key);
        return key && lease(*key, shard) ? key : std::nullopt;
    } catch (const IoError& error) {
        complain(error.describe(), true);
    } catch (const fs::filesystem_error& error) {
        complain(error.what(), true);
    }
    return std::nullopt;
}

void ShardCache::fill(const fs::path& source, const std::vector<CachedShard>& shards) {
    constexpr size_t kMostThreads = 4;  // one stream seldom gets all that a file system can give
    if (shards.empty()) return;
    // Neighbouring process ids begin far from each other.
    const uint64_t start = static_cast<uint64_t>(getpid()) * 7919 % shards.size();
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (size_t i = next++; i < shards.size(); i = next++) {
                obtain(source, shards[(start + i) % shards.size()], Wait::kNo);
            }
        } catch (...) {
            next = shards.size();
            const std::lock_guard guard(mutex_);
            if (failure == nullptr) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < std::min(kMostThreads, shards.size()); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure != nullptr) std::rethrow_exception(failure);
}

fs::path ShardCache::folder_of(const fs::path& source, const CachedShard& shard) {
    const Key key = obtain(source, shard, Wait::kYes);
    return key ? path_of(*key) : source;
}

}  // namespace longhaul::shards
