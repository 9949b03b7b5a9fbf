// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_cache.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "lib/token/piece_encoder.h"

using namespace longhaul::token;

namespace {

template <class Table>
void check_table(size_t max_bytes, size_t max_overflow_bytes) {
    using Key = typename Table::Key;
    Table table(max_bytes, max_overflow_bytes);
    size_t num_found = 0;
    const auto key_of = [](std::string_view text) { return Key::make(text, text.size()); };
    std::array<uint32_t, Table::kCopied> room{};
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t i = 0; i < 20000; ++i) {
            const std::string piece = "w" + std::to_string(i);
            const Key key = key_of(piece);
            auto* entry = table.find(key, key.hash());
            const std::vector<uint32_t> ids(i % 11, 0xFFFFFF - i);
            if (entry->key == key) {
                ++num_found;
                uint32_t* const end = table.copy_ids(*entry, room.data());
                REQUIRE(std::equal(room.data(), end, ids.begin(), ids.end()));
            } else {
                table.store(entry, key, key.hash(), ids);
            }
        }
    }
    const bool has_room = max_bytes >= 8 << 20, has_overflow = max_overflow_bytes >= 1 << 20;
    // Entries may go while the table is still growing, but hardly any do.
    if (has_room) CHECK(table.num_evictions() < 400);
    if (!has_room && has_overflow) CHECK(table.num_evictions() > 1000);
    CHECK((table.num_wipes() == 0) == has_overflow);
    if (has_room && has_overflow) CHECK(num_found > 19600);
    const size_t least = (128 << 10) + 4096;
    CHECK(table.memory_bytes() <= std::max(max_bytes, least) + max_overflow_bytes);
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
    for (const size_t max_bytes : {size_t{1}, size_t{1} << 18, size_t{8} << 20}) {
        for (const size_t max_overflow_bytes : {size_t{1} << 14, size_t{1} << 20}) {
            check_table<PieceCache::Short>(max_bytes, max_overflow_bytes);
            check_table<PieceCache::Long>(max_bytes, max_overflow_bytes);
        }
    }
}

TEST_CASE("piece encoder: ids do not depend on the cache") {
    const Spelling model;
    std::string text;
    std::vector<uint32_t> ends, expected;
    for (uint32_t i = 0; i < 60000; ++i) {
        const size_t length = 1 + (i * 2654435761u >> 20) % 70;
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
