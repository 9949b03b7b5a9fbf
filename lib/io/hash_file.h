// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hashes of what lies in files.

#include <cstdint>
#include <functional>
#include <string>

#include "lib/base/hash.h"

namespace longhaul::io {

/// Called with the number of bytes read since the last call.
using Advanced = std::function<void(uint64_t)>;

/// Adds the bytes [begin, end) of a file. @throws IoError; DataError: the file ends before `end`.
void hash_range(const std::string& path, uint64_t begin, uint64_t end, Hasher128& hasher,
                const Advanced& advanced = {});
/// The hash of those bytes alone.
Hash128 hash_range(const std::string& path, uint64_t begin, uint64_t end,
                   const Advanced& advanced = {});
/// All that can be read, also of what has no size before. @throws IoError
Hash128 hash_file(const std::string& path);

}  // namespace longhaul::io
