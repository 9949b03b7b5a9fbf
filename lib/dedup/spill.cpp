// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spill.h"

#include <unistd.h>

#include <cstdlib>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/unnamed_file.h"

namespace longhaul::dedup {

SpillArea::SpillArea(const std::string& folder) : folder_(folder) {
    if (folder_.empty()) {
        const char* const from_environment = std::getenv("TMPDIR");
        const bool is_set = from_environment != nullptr && *from_environment != '\0';
        folder_ = is_set ? from_environment : "/tmp";
    }
}

SpillFile::SpillFile(SpillArea& area) : area_(&area), fd_(io::open_unnamed(area.folder())) {}

uint64_t SpillFile::append(std::span<const std::byte> bytes) {
    // Asked before a large write, so that the file system is not filled for nothing.
    constexpr size_t kChecked = 8 << 20;
    const std::string folder = area_->folder().string();
    if (bytes.size() >= kChecked) {
        const uint64_t free_bytes = io::free_space_bytes(area_->folder());
        if (free_bytes < bytes.size()) {
            throw IoError(format("{}: {} to spill, {} free: give more --memory or a larger "
                                 "--tmp-dir",
                                 folder, human_bytes(bytes.size()), human_bytes(free_bytes)),
                          ENOSPC);
        }
    }
    const uint64_t offset = size_;
    io::pwrite_full(fd_.get(), bytes, offset,
                    format("a temporary file in {} (see --tmp-dir)", folder));
    size_ += bytes.size();
    area_->bytes_written_.fetch_add(bytes.size(), std::memory_order_relaxed);
    return offset;
}

void SpillFile::read(std::span<std::byte> bytes, uint64_t offset) const {
    io::pread_exact(fd_.get(), bytes, offset, "a temporary file in " + area_->folder().string());
}

void SpillFile::clear() {
    if (::ftruncate(fd_.get(), 0) != 0) {
        throw IoError("cannot empty a temporary file in " + area_->folder().string());
    }
    size_ = 0;
}

}  // namespace longhaul::dedup
