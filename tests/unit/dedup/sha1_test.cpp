// SPDX-License-Identifier: BSD-3-Clause
// Reference values: FIPS 180-4's examples and Python's hashlib.
#include "lib/dedup/signature/sha1.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/dedup/simd_targets.h"

using namespace longhaul;

namespace {

/// The first 16 hex digits of a digest.
std::string prefix_of(const std::string& message) {
    const std::string padded = message + std::string(dedup::kSha1Padding, '\xFF');
    const std::string_view view(padded.data(), message.size());
    uint64_t hash = 0;
    dedup::sha1_prefixes({&view, 1}, &hash);
    std::string hex;
    for (int i = 0; i < 8; ++i) {
        const auto byte = static_cast<unsigned>(hash >> (8 * i) & 0xFF);
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

}  // namespace

TEST_CASE("sha1: known digests, around the ends of blocks") {
    for_each_simd_target([] {
        CHECK(prefix_of("") == "da39a3ee5e6b4b0d");
        CHECK(prefix_of("abc") == "a9993e364706816a");
        CHECK(prefix_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
              "84983e441c3bd26e");
        CHECK(prefix_of(std::string(1000000, 'a')) == "34aa973cd4c4daa4");
        CHECK(prefix_of(std::string(55, 'a')) == "c1c8bbdc22796e28");
        CHECK(prefix_of(std::string(56, 'a')) == "c2db330f6083854c");
        CHECK(prefix_of(std::string(63, 'a')) == "03f09f5b158a7a8c");
        CHECK(prefix_of(std::string(64, 'a')) == "0098ba824b5c1642");
        CHECK(prefix_of(std::string(119, 'a')) == "ee971065aaa017e0");
        CHECK(prefix_of(std::string(120, 'a')) == "f34c1488385346a5");
    });
}

TEST_CASE("sha1: a message does not depend on those beside it") {
    const std::string text(700, 'x');
    std::vector<std::string_view> messages;
    for (size_t i = 0; i < 100; ++i)
        messages.push_back(std::string_view(text).substr(i, i * 37 % 300));
    for_each_simd_target([&] {
        std::vector<uint64_t> together(messages.size()), alone(messages.size());
        dedup::sha1_prefixes(messages, together.data());
        for (size_t i = 0; i < messages.size(); ++i) {
            dedup::sha1_prefixes({&messages[i], 1}, &alone[i]);
        }
        CHECK(together == alone);
    });
}
