// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/corpus/number_member.h"
#include "lib/dedup/keep_rule.h"
#include "lib/dedup/stages/key_range.h"

using namespace longhaul;
using dedup::KeepRule;
using dedup::OrderKey;

namespace {

OrderKey key_of(const KeepRule& rule, const std::string& line, const std::string& text = "",
                int priority = 0) {
    bool has_score = true;
    return rule.key(priority, line, text, has_score);
}

}  // namespace

TEST_CASE("keep rule: words") {
    CHECK(KeepRule().is_input_order());
    CHECK(KeepRule::parse("first", {}).words() == "first");
    CHECK(KeepRule::parse("longest", {}).words() == "length");
    CHECK(KeepRule::parse("score", {}).words() == "score:score");
    CHECK(KeepRule::parse("score:a.b,length", {}).words() == "score:a.b,length");
    CHECK(KeepRule::parse("first", {"a*=3"}).words() == "priority");
    CHECK(KeepRule::parse("length", {"a*=3"}).words() == "priority,length");
    CHECK(KeepRule::parse("length,priority", {"a*=3"}).words() == "length,priority");
    const KeepRule rule = KeepRule::parse("length", {"*wiki*=10", "*=a=-3"});
    CHECK(rule.priority_words() == std::vector<std::string>{"*wiki*=10", "*=a=-3"});
    for (const char* const wrong : {"", "best", "length,", "length,longest",
                                    "score:", "first,length", "priority", "score,score:x"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(KeepRule::parse(wrong, {}), UsageError);
    }
    for (const char* const wrong : {"", "a", "a=", "=3", "a=3x", "a=99999", "a=1.5"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(KeepRule::parse("first", {wrong}), UsageError);
    }
}

TEST_CASE("keep rule: priorities by path, the first match counts") {
    const KeepRule rule = KeepRule::parse("first", {"*/wiki/*=10", "*.txt=-1", "*/wiki/*=20"});
    CHECK(rule.priority_of("in/wiki/x.txt") == 10);
    CHECK(rule.priority_of("in/web/x.txt") == -1);
    CHECK(rule.priority_of("in/web/x.jsonl") == 0);
    CHECK(key_of(rule, "", "", 10) < key_of(rule, "", "", 0));
    CHECK(key_of(rule, "", "", 0) < key_of(rule, "", "", -16383));
}

TEST_CASE("keep rule: scores fall, without one a document is last, before all is the index") {
    const KeepRule rule = KeepRule::parse("score", {});
    const std::vector<std::string> falling{
        R"({"score":1e999})",  R"({"score":1e300})",  R"({"score":17})",   R"({"score":16.5})",
        R"({"score":1e-9})",   R"({"score":0})",      R"({"score":-0.5})", R"({"score":-3})",
        R"({"score":-1e308})", R"({"score":-1e999})", R"({"score":"9"})"};
    for (size_t i = 1; i < falling.size(); ++i) {
        CAPTURE(falling[i]);
        CHECK(key_of(rule, falling[i - 1]) < key_of(rule, falling[i]));
    }
    CHECK(key_of(rule, R"({"score":-0})") == key_of(rule, R"({"score":0.0})"));
    for (const char* const none : {R"({"text":"x"})", R"({"score":null})", R"({"score":true})", "",
                                   R"({"score":1,"score":2})", R"({"a":{"score":1}})"}) {
        CAPTURE(none);
        bool has_score = true;
        CHECK(rule.key(0, none, "", has_score) == key_of(rule, falling.back()));
        CHECK_FALSE(has_score);
    }
    CHECK(OrderKey::index() < key_of(rule, falling.front()));
    CHECK(OrderKey::index() < key_of(KeepRule::parse("length", {}), "", std::string(99, 'x')));
}

TEST_CASE("keep rule: terms in their order") {
    const std::string good = R"({"score":2})", bad = R"({"score":1})";
    const KeepRule score_first = KeepRule::parse("score,length", {});
    CHECK(key_of(score_first, good, "x") < key_of(score_first, bad, "xx"));
    CHECK(key_of(score_first, good, "xx") < key_of(score_first, good, "x"));
    const KeepRule length_first = KeepRule::parse("length,score", {});
    CHECK(key_of(length_first, bad, "xx") < key_of(length_first, good, "x"));
    CHECK(key_of(length_first, good, "x") < key_of(length_first, bad, "x"));
}

TEST_CASE("number member: values and escapes") {
    CHECK(corpus::number_member(R"({"a":"x","q":12.5e1,"b":[1]})", "q") == 125);
    CHECK(corpus::number_member(R"({"\u0071":-7})", "q") == -7);
    CHECK_FALSE(corpus::number_member("[1]", "q"));
    CHECK_FALSE(corpus::number_member(R"({"q":{"x":1}})", "q"));
}

TEST_CASE("key ranges: they cover all keys, without a gap") {
    for (const uint64_t num_ranges : {1, 2, 3, 7, 64, 1000}) {
        CAPTURE(num_ranges);
        CHECK(dedup::first_key(0, num_ranges) == 0);
        CHECK(dedup::last_key(num_ranges - 1, num_ranges) == ~uint64_t{0});
        for (uint64_t range = 0; range < num_ranges; ++range) {
            REQUIRE(dedup::range_of(dedup::first_key(range, num_ranges), num_ranges) == range);
            REQUIRE(dedup::range_of(dedup::last_key(range, num_ranges), num_ranges) == range);
            if (range > 0) {
                REQUIRE(dedup::first_key(range, num_ranges) ==
                        dedup::last_key(range - 1, num_ranges) + 1);
            }
        }
    }
}
