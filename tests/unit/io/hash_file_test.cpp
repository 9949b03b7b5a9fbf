// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/hash_file.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"

using namespace longhaul;

TEST_CASE("hash_file: whole files, ranges, and ranges one behind the other") {
    const auto path = std::filesystem::temp_directory_path() / "longhaul-hash-file-test";
    std::string text;  // longer than a block
    for (int i = 0; text.size() < (size_t{5} << 19); ++i) text += std::to_string(i * 7919);
    io::write_file_atomically(path, text);
    const uint64_t end = text.size();
    CHECK(io::hash_file(path.string()) == xxh3_128(text));
    CHECK(io::hash_range(path.string(), 0, end) == xxh3_128(text));
    CHECK(io::hash_range(path.string(), 3, 3) == xxh3_128(""));
    uint64_t seen = 0;
    const auto part =
        io::hash_range(path.string(), 17, end - 5, [&](uint64_t bytes) { seen += bytes; });
    CHECK(part == xxh3_128(text.substr(17, end - 22)));
    CHECK(seen == end - 22);
    Hasher128 hasher;
    io::hash_range(path.string(), 0, 1000, hasher);
    io::hash_range(path.string(), 1000, end, hasher);
    CHECK(hasher.digest() == xxh3_128(text));
    CHECK_THROWS_AS(io::hash_range(path.string(), 0, end + 1), DataError);
    CHECK_THROWS_AS(io::hash_file(path.string() + "-missing"), IoError);
    std::filesystem::remove(path);
}
