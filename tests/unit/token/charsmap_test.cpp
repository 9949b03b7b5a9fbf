// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/charsmap.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "tests/support/charsmap_blob.h"

using namespace longhaul;
using namespace longhaul::token;
using testing::charsmap_blob;

namespace {

std::string problem(const std::string& blob) {
    try {
        Charsmap::parse(blob, "m");
        return "";
    } catch (const Error& error) {
        return error.describe();
    }
}

/// Overwrites unit `index`.
std::string with_unit(std::string blob, size_t index, uint32_t unit) {
    for (unsigned i = 0; i < 4; ++i) {
        blob[4 + 4 * index + i] = static_cast<char>(unit >> (8 * i));
    }
    return blob;
}

}  // namespace

TEST_CASE("charsmap: the longest and the shortest rule at the beginning of a text") {
    const Charsmap map = Charsmap::parse(
        charsmap_blob({{"a", "x"}, {"abc", "yz"}, {"\xC3\xA9", "e"}, {"\t", " "}, {"q", ""}}), "m");
    CHECK(map.longest("abd").length == 1);
    CHECK(map.longest("abcd").length == 3);
    CHECK(map.longest("abcd").replacement == "yz");
    CHECK(map.shortest("abcd").length == 1);
    CHECK(map.shortest("abcd").replacement == "x");
    CHECK(map.longest("\xC3\xA9t").replacement == "e");
    CHECK(map.longest("\xC3").length == 0);
    CHECK(map.longest("q").length == 1);
    CHECK(map.longest("q").replacement.empty());
    CHECK(map.longest("bcd").length == 0);
    CHECK(map.longest("").length == 0);
    CHECK(map.longest(std::string_view("\0a", 2)).length == 0);
    CHECK(map.longest(std::string_view("a\0", 2)).length == 1);
}

TEST_CASE("charsmap: ASCII characters without rules") {
    const Charsmap map =
        Charsmap::parse(charsmap_blob({{"a", "x"}, {"bc", "y"}, {"d\xCC\x80", "z"}}), "m");
    CHECK_FALSE(map.keeps_ascii('a'));
    CHECK_FALSE(map.keeps_ascii('b'));
    CHECK(map.keeps_ascii('c'));
    CHECK(map.keeps_ascii('d'));
    CHECK(map.keeps_ascii('\0'));
    CHECK_FALSE(map.keeps_ascii('\x80'));
}

TEST_CASE("charsmap: broken tables are refused with their byte") {
    const std::string good = charsmap_blob({{"ab", "x"}});  // units 256+'a', then 512+'b', then 768
    CHECK(problem(good) == "");
    CHECK(problem("") == "m: byte 0: the table of replacements has no size");
    CHECK(problem(std::string(4, '\0')).find("a trie of 0 bytes") != std::string::npos);
    CHECK(problem(good.substr(0, 1000)).find("bytes in 1000 bytes") != std::string::npos);
    CHECK(problem(good + "\xFF").ends_with("a replacement is not UTF-8"));
    CHECK(problem(good.substr(0, good.size() - 2)) ==
          "m: byte 3076: a value of the trie is beyond the replacements");
    CHECK(problem(with_unit(good, 0, 0x3FFFu << 10)) ==
          "m: byte 4: a unit of the trie points outside of it");
    CHECK(problem(with_unit(good, 256 + 'a', 'a' | (256u + 'a') << 10)) == "");  // a lone prefix
    // 'a' leads to 'a' in the same block: an endless key.
    CHECK(problem(with_unit(good, 256 + 'a', 'a' | static_cast<uint32_t>('a') << 10)) ==
          format("m: byte {}: the trie loops", 4 + 4 * (256 + 'a')));
    std::string key(1100, 'k');
    CHECK(problem(charsmap_blob({{key, "x"}})).ends_with("a key of the trie is too long"));
}
