// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/open_files.h"

#include <sys/resource.h>

#include <filesystem>

#include "lib/base/error.h"

namespace longhaul::shards {

void allow_open_files(uint64_t count) {
    constexpr uint64_t kSpare = 64;  // for what a program opens later
    std::error_code error;
    const std::filesystem::directory_iterator open_now("/proc/self/fd", error);
    const auto num_open = error ? 192 : std::distance(begin(open_now), end(open_now));
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const uint64_t wanted = count + static_cast<uint64_t>(num_open) + kSpare;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted) {
        throw UsageError(
            format("{} files must be open at once, the limit is {}: raise it "
                   "(ulimit -Hn), or make fewer and larger shards",
                   wanted, limit.rlim_max));
    }
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) throw IoError("cannot raise the limit of files");
}

}  // namespace longhaul::shards
