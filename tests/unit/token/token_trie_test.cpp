// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/token_trie.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "lib/token/digit_sort.h"

using namespace longhaul::token;

namespace {

std::string random_bytes(std::mt19937& random, size_t most, unsigned num_kinds) {
    std::string bytes;
    for (size_t i = 1 + random() % most; i > 0; --i) {
        bytes += static_cast<char>(random() % num_kinds * 5);
    }
    return bytes;
}

}  // namespace

TEST_CASE("token trie: the longest token, and the next shorter one") {
    std::mt19937 random(3);
    for (const unsigned num_kinds : {1u, 2u, 4u, 50u}) {
        std::set<std::string> words;
        for (int i = 0; i < 400; ++i) words.insert(random_bytes(random, 12, num_kinds));
        std::vector<std::string> by_number(256);
        for (unsigned byte = 0; byte < 256; ++byte) by_number[byte] = static_cast<char>(byte);
        std::vector<TokenTrie::Token> tokens;
        for (const std::string& word : words) {
            if (word.size() < 2) continue;
            tokens.emplace_back(word, static_cast<uint32_t>(by_number.size()));
            by_number.push_back(word);
        }
        std::shuffle(tokens.begin(), tokens.end(), random);
        std::vector<uint32_t> shorter(by_number.size());
        const TokenTrie trie(tokens, shorter);
        const auto longest = [&](const std::string& text, size_t most) {
            for (size_t size = std::min(text.size(), most); size > 1; --size) {
                if (words.contains(text.substr(0, size))) return text.substr(0, size);
            }
            return text.substr(0, 1);
        };
        for (int i = 0; i < 2000; ++i) {
            const std::string text = random_bytes(random, 16, num_kinds);
            CHECK(by_number[trie.longest(text)] == longest(text, text.size()));
        }
        for (const auto& [word, number] : tokens) {
            CHECK(by_number[shorter[number]] == longest(std::string(word), word.size() - 1));
        }
    }
}

TEST_CASE("token trie: without tokens, bytes are found") {
    const TokenTrie trie({}, {});
    CHECK(trie.longest("\xFFz") == 0xFF);
    CHECK(trie.longest("z") == 'z');
}

TEST_CASE("sort by digits: in order, and equal keys stay in theirs") {
    std::mt19937 random(9);
    std::vector<std::pair<uint64_t, int>> items;
    for (int i = 0; i < 5000; ++i) items.emplace_back(uint64_t{random()} << 20 | random() % 4, i);
    for (int i = 0; i < 500; ++i) items.emplace_back(items[static_cast<size_t>(i)].first, i);
    auto expected = items;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    sort_by_digits(items, 64, [](const auto& item) { return item.first; });
    CHECK(items == expected);
}
