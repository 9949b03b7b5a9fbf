// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/hash.h"

#include <doctest/doctest.h>

using namespace longhaul;

TEST_CASE("hash: equals xxhsum -H2") {
    // printf '' | xxhsum -H2; printf 'longhaul' | xxhsum -H2
    CHECK(xxh3_128(std::string_view("")).hex() == "99aa06d3014798d86001c324468d497f");
    CHECK(xxh3_128(std::string_view("longhaul")).hex() == "dd436d5e4417562f95203644fb61d968");
}

TEST_CASE("hash: streaming equals one call at every split") {
    const std::string text(1000, 'x');
    for (size_t cut = 0; cut <= text.size(); cut += 37) {
        Hasher128 hasher;
        hasher.update(std::string_view(text).substr(0, cut));
        hasher.update(std::string_view(text).substr(cut));
        CHECK(hasher.digest() == xxh3_128(text));
    }
}

TEST_CASE("hash: hex text reads back, anything else is refused") {
    const Hash128 hash = xxh3_128(std::string_view("a"));
    CHECK(Hash128::from_hex(hash.hex()) == hash);
    for (const char* bad :
         {"", "abc", "99aa06d3014798d86001c324468d497g", "99aa06d3014798d86001c324468d497f0"}) {
        CAPTURE(bad);
        CHECK_FALSE(Hash128::from_hex(bad).has_value());
    }
}
