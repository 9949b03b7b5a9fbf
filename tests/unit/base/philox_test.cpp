// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/philox.h"

#include <doctest/doctest.h>

using namespace longhaul;

namespace {
bool equal(const PhiloxBlock& a, const PhiloxBlock& b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
           a.word[3] == b.word[3];
}
}  // namespace

TEST_CASE("philox: known answers of Random123 (kat_vectors, philox4x32 10)") {
    CHECK(equal(philox4x32({{0, 0, 0, 0}}, 0, 0),
                {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
    CHECK(equal(philox4x32({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u),
                {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
    CHECK(equal(
        philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
        {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST_CASE("philox: every part of the key changes the draw") {
    const PhiloxKey key{1, RandomPurpose::kInit, 2, 3};
    const PhiloxBlock base = philox_draw(key, 4);
    CHECK(equal(base, philox_draw(key, 4)));
    CHECK_FALSE(equal(base, philox_draw(key, 5)));
    CHECK_FALSE(equal(base, philox_draw(key, 4 + (uint64_t{1} << 32))));
    CHECK_FALSE(equal(base, philox_draw({9, RandomPurpose::kInit, 2, 3}, 4)));
    CHECK_FALSE(equal(base, philox_draw({1, RandomPurpose::kDropout, 2, 3}, 4)));
    CHECK_FALSE(equal(base, philox_draw({1, RandomPurpose::kInit, 9, 3}, 4)));
    CHECK_FALSE(equal(base, philox_draw({1, RandomPurpose::kInit, 2, 9}, 4)));
}
