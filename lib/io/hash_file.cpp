// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/hash_file.h"

#include <fcntl.h>

#include <algorithm>
#include <span>
#include <vector>

#include "lib/io/file.h"

namespace longhaul::io {

namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;

}  // namespace

void hash_range(const std::string& path, uint64_t begin, uint64_t end, Hasher128& hasher,
                const Advanced& advanced) {
    const UniqueFd fd = open_file(path, O_RDONLY);
    std::vector<std::byte> block(kBlockBytes);
    while (begin < end) {
        const auto part = std::span(block).first(std::min<uint64_t>(block.size(), end - begin));
        pread_exact(fd.get(), part, begin, path);
        hasher.update(std::span<const std::byte>(part));
        begin += part.size();
        if (advanced) advanced(part.size());
    }
}

Hash128 hash_range(const std::string& path, uint64_t begin, uint64_t end,
                   const Advanced& advanced) {
    Hasher128 hasher;
    hash_range(path, begin, end, hasher, advanced);
    return hasher.digest();
}

Hash128 hash_file(const std::string& path) {
    const UniqueFd fd = open_file(path, O_RDONLY);
    std::vector<std::byte> block(kBlockBytes);
    Hasher128 hasher;
    while (const size_t got = read_full(fd.get(), block, path)) {
        hasher.update(std::span<const std::byte>(block).first(got));
    }
    return hasher.digest();
}

}  // namespace longhaul::io
