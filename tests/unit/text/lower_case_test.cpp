// SPDX-License-Identifier: BSD-3-Clause
// Reference values: str.lower of Python 3.12.
#include "lib/text/lower_case.h"

#include <string>

#include <doctest/doctest.h>

namespace {

std::string lower(std::string_view text) {
    std::string out = "old";
    longhaul::text::lower_case(text, out);
    return out;
}

}  // namespace

TEST_CASE("lower case: as Python's str.lower") {
    CHECK(lower("") == "");
    CHECK(lower("AZaz@[`{09") == "azaz@[`{09");
    CHECK(lower("\u00c0\u00dc\u0178") == "\u00e0\u00fc\u00ff");
    CHECK(lower("\u1e9e") == "\u00df");
    CHECK(lower("\u0130I\u0131") == "i\u0307i\u0131");
    CHECK(lower("\u01c5\u01c4") == "\u01c6\u01c6");
    CHECK(lower("\U00010400\U0001e900") == "\U00010428\U0001e922");
    CHECK(lower("\uff21\u2160\u24b6") == "\uff41\u2170\u24d0");
    CHECK(lower("\u4e2d\U0001f600") == "\u4e2d\U0001f600");
}

TEST_CASE("lower case: sigma at the end of words") {
    CHECK(lower("\u039f\u03a3") == "\u03bf\u03c2");
    CHECK(lower("\u03a3\u03a3") == "\u03c3\u03c2");
    CHECK(lower("\u03a3") == "\u03c3");
    CHECK(lower("A\u03a3.B A\u03a3'") == "a\u03c3.b a\u03c2'");
    CHECK(lower("A\u03a3\u0301 \u03a3A") == "a\u03c2\u0301 \u03c3a");
}
