// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/bpe.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <random>
#include <string>

#include "lib/token/byte_level.h"

using namespace longhaul::token;

namespace {

/// A vocabulary of 256 bytes and random merges over the letters a-d, as a trainer could make it.
Bpe random_bpe(unsigned seed, int num_merges) {
    std::mt19937 random(seed);
    Vocabulary vocabulary;
    MergeTable merges;
    std::vector<std::string> tokens;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        vocabulary.add(byte, text, true);
        if (byte >= 'a' && byte <= 'd') tokens.push_back(text);
    }
    uint32_t rank = 0;
    for (int i = 0; i < num_merges; ++i) {
        const std::string left = tokens[random() % tokens.size()];
        const std::string right = tokens[random() % tokens.size()];
        if (left.size() + right.size() > 12) continue;
        uint32_t whole = vocabulary.find(left + right);
        if (whole == kNoToken) {
            whole = vocabulary.size();
            vocabulary.add(whole, left + right, true);
            tokens.push_back(left + right);
        }
        merges.set(vocabulary.find(left), vocabulary.find(right), {rank++, whole});
    }
    return Bpe(std::move(vocabulary), std::move(merges), {});
}

std::string random_text(std::mt19937& random, size_t length) {
    std::string text;
    for (size_t i = 0; i < length; ++i) text.push_back(static_cast<char>('a' + random() % 4));
    return text;
}

}  // namespace

TEST_CASE("bpe: scan, heap and backtracking give the same ids") {
    size_t num_backtracked = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        const Bpe bpe = random_bpe(seed, 10 + static_cast<int>(seed) * 8);
        std::mt19937 random(seed + 1000);
        for (int i = 0; i < 60; ++i) {
            const std::string text = random_text(random, 1 + random() % 80);
            std::vector<uint32_t> scan, heap, backtracking;
            bpe.encode_by_scan(text, scan);
            bpe.encode_by_heap(text, heap);
            CAPTURE(seed);
            CAPTURE(text);
            REQUIRE(scan == heap);
            if (!bpe.encode_by_backtracking(text, backtracking)) continue;
            REQUIRE(scan == backtracking);
            ++num_backtracked;
        }
    }
    CHECK(num_backtracked > 300);  // the rest have merges out of order, as no trainer makes them
}

TEST_CASE("bpe: bytes that UTF-8 never has need no tokens; where they are they are dropped") {
    Vocabulary vocabulary;
    MergeTable merges;
    for (unsigned byte = 0; byte < 0xF5; ++byte) {
        if (byte == 0xC0 || byte == 0xC1) continue;
        vocabulary.add(byte, std::string(1, static_cast<char>(byte)), true);
    }
    vocabulary.add(300, "\u4E2D", true);
    vocabulary.add(301, "\xE4\xB8", true);
    vocabulary.add(302, "ab", true);
    merges.set(0xE4, 0xB8, {0, 301});
    merges.set(301, 0xAD, {1, 300});
    merges.set('a', 'b', {2, 302});
    const Bpe bpe(std::move(vocabulary), std::move(merges), {});
    CHECK_FALSE(bpe.loses_text());
    CHECK(bpe.cuts_pieces());
    std::vector<uint32_t> ids;
    REQUIRE(bpe.encode_by_backtracking("ab\u4E2Dab", ids));
    CHECK(ids == std::vector<uint32_t>{302, 300, 302});
    std::array<uint32_t, 4> ends;
    CHECK(bpe.cut("\u4E2D\u4E2D", ends.data(), ends.size()) == 2);
    // Not well-formed: the neighbours of what is dropped meet, so that nothing may be cut.
    const std::string broken =
        "xa\xC1"
        "b\xFF\u4E2D\u4E2D";
    CHECK_FALSE(bpe.encode_by_backtracking(broken, ids));
    CHECK(bpe.cut(broken, ends.data(), ends.size()) == 1);
    ids.clear();
    bpe.encode(broken, ids);
    CHECK(ids == std::vector<uint32_t>{'x', 302, 300, 300});
}

TEST_CASE("bpe: the lowest rank merges first, the leftmost of equals before others") {
    Vocabulary vocabulary;
    const char* tokens[] = {"a", "b", "ab", "ba", "aa", "aab"};
    for (uint32_t id = 0; id < 6; ++id) vocabulary.add(id, tokens[id], true);
    MergeTable merges;
    merges.set(0, 0, {2, 4});  // a a
    merges.set(0, 1, {1, 2});  // a b
    merges.set(4, 1, {0, 5});  // aa b: never, since a b comes first
    const Bpe bpe(std::move(vocabulary), std::move(merges), {});
    const auto encode = [&](const char* text) {
        std::vector<uint32_t> ids;
        bpe.encode(text, ids);
        return ids;
    };
    CHECK(encode("aab") == std::vector<uint32_t>{0, 2});
    CHECK(encode("aaa") == std::vector<uint32_t>{4, 0});
    CHECK(encode("") == std::vector<uint32_t>{});
}

TEST_CASE("bpe: one repeated character costs linear time") {
    Vocabulary vocabulary;
    MergeTable merges;
    for (unsigned byte = 0; byte < 256; ++byte) {
        vocabulary.add(byte, std::string(1, static_cast<char>(byte)), true);
    }
    uint32_t part = 'x';
    for (uint32_t i = 0; i < 5; ++i) {  // xx, xxxx, ... 32 x
        vocabulary.add(256 + i, std::string(size_t{2} << i, 'x'), true);
        merges.set(part, part, {i, 256 + i});
        part = 256 + i;
    }
    const Bpe bpe(std::move(vocabulary), std::move(merges), {});
    const std::string text(4'000'000, 'x');
    const auto begin = std::chrono::steady_clock::now();
    std::vector<uint32_t> ids;
    bpe.encode(text, ids);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    CHECK(ids.size() == text.size() / 32);
    CHECK(elapsed.count() < 20);  // quadratic time would take hours
}

TEST_CASE("byte level: the alphabet is a bijection of bytes and printable characters") {
    for (unsigned byte = 0; byte < 256; ++byte) {
        CHECK(char_to_byte(byte_to_char(static_cast<uint8_t>(byte))) == byte);
    }
    CHECK(bytes_to_text(" hello\n") == "\xC4\xA0hello\xC4\x8A");
    CHECK(text_to_bytes("\xC4\xA0hello") == " hello");
    CHECK_FALSE(text_to_bytes("not a space: ").has_value());
    CHECK_FALSE(text_to_bytes("\xE2\x96\x81x").has_value());
}
