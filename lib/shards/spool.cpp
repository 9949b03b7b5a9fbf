// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/io/unnamed_file.h"

namespace longhaul::shards {

namespace {

constexpr size_t kBlockBytes = 1 << 20;

}  // namespace

std::filesystem::path default_spool_folder() {
    const char* const variable = std::getenv("TMPDIR");
    return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

Spool::Spool(const std::filesystem::path& folder)
    : name_(format("a temporary file in {} (see TMPDIR and --tmp-dir)", folder.string())),
      fd_(io::open_unnamed(folder)) {}

void Spool::write(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBlockBytes) flush();
}

void Spool::flush() {
    io::write_full(fd_.get(), std::span<const std::byte>(buffer_), name_);
    buffer_.clear();
}

void Spool::read(uint64_t offset, std::span<std::byte> out) {
    if (!buffer_.empty()) flush();
    io::pread_exact(fd_.get(), out, offset, name_);
}

void Spool::copy_to(int target, uint64_t offset, const std::string& target_name,
                    Hasher128* hasher) {
    std::vector<std::byte> block(kBlockBytes);
    for (uint64_t done = 0; done < size_;) {
        const auto part = std::span(block).first(std::min<uint64_t>(kBlockBytes, size_ - done));
        read(done, part);
        if (hasher != nullptr) hasher->update(std::span<const std::byte>(part));
        io::pwrite_full(target, part, offset + done, target_name);
        done += part.size();
    }
}

void Spool::clear() {
    buffer_.clear();
    if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
        throw IoError("cannot empty " + name_);
    }
    size_ = 0;
}

io::UniqueFd Spool::release() {
    flush();
    return std::move(fd_);
}

}  // namespace longhaul::shards
