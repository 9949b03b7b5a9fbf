// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_cache.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "lib/token/piece_encoder.h"

using namespace longhaul::token;

namespace {

template <class Table>
void check_table(size_t max_bytes, bool expect_wipes) {
    using Key = typename Table::Key;
    Table table(max_bytes);
    const auto key_of = [](std::string_view text) { return Key::make(text, text.size()); };
    std::array<uint32_t, Table::kCopied> room{};
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t i = 0; i < 20000; ++i) {
            const std::string piece = "w" + std::to_string(i);
            const Key key = key_of(piece);
            auto* entry = table.find(key, key.hash());
            const std::vector<uint32_t> ids(i % 11, 0xFFFFFF - i);
            if (entry->key == key) {
                uint32_t* const end = table.copy_ids(*entry, room.data());
                REQUIRE(std::equal(room.data(), end, ids.begin(), ids.end()));
            } else {
                table.store(entry, key, key.hash(), ids);
            }
        }
    }
    CHECK((table.num_wipes() > 0) == expect_wipes);
    CHECK(table.memory_bytes() <= std::max<size_t>(max_bytes, 80 << 10));
}

/// Gives a piece its length and bytes as ids, so that a wrong answer shows.
class Spelling : public Model {
 public:
    const Vocabulary& vocabulary() const override { return vocabulary_; }
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const override {
        for (const char byte : piece) ids.push_back(static_cast<uint8_t>(byte));
    }
    uint32_t unknown_id() const override { return kNoToken; }

 private:
    Vocabulary vocabulary_;
};

}  // namespace

TEST_CASE("piece cache: keys tell pieces apart, whatever lies behind them") {
    using Key = PieceCache::Short::Key;
    const auto key = [](std::string_view text) { return Key::make(text, text.size()); };
    const std::string padded = "hello                   ";
    CHECK(Key::make(std::string_view(padded).substr(0, 5), padded.size()) == key("hello"));
    CHECK(Key::make(std::string_view(padded).substr(0, 15), padded.size()) ==
          key("hello          "));
    CHECK_FALSE(key("a") == key(std::string("a\0", 2)));
    CHECK_FALSE(key("a").is_empty());
}

TEST_CASE("piece cache: what is stored is found, within the budget") {
    check_table<PieceCache::Short>(8 << 20, false);
    check_table<PieceCache::Long>(8 << 20, false);
    check_table<PieceCache::Short>(1, true);
    check_table<PieceCache::Long>(1 << 18, true);
}

TEST_CASE("piece encoder: ids do not depend on the cache") {
    const Spelling model;
    std::string text;
    std::vector<uint32_t> ends, expected;
    for (uint32_t i = 0; i < 60000; ++i) {
        const size_t length = 1 + (i * 2654435761u >> 20) % 40;
        for (size_t j = 0; j < length; ++j) {
            text += static_cast<char>('a' + (i % 977 * 31 + j * i % 7) % 26);
        }
        ends.push_back(static_cast<uint32_t>(text.size()));
    }
    model.encode(text, expected);
    for (const size_t budget : {size_t{0}, size_t{1} << 20, size_t{64} << 20}) {
        PieceEncoder encoder(model, budget);
        for (int round = 0; round < 2; ++round) {
            std::vector<uint32_t> ids;
            encoder.encode(text, 0, ends, ids);
            REQUIRE(ids == expected);
        }
    }
}
