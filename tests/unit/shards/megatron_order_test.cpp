// SPDX-License-Identifier: BSD-3-Clause
// Against the real GPTDataset and BlendedDataset: tests/data/shards/make_megatron_order.py.
#include "lib/shards/megatron_order.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/shards/blend_order.h"

using namespace longhaul;
using namespace longhaul::shards;
using Numbers = std::vector<uint64_t>;

namespace {

io::Json recorded() {
    const char* data = std::getenv("LONGHAUL_TEST_DATA");
    REQUIRE(data != nullptr);
    const std::string path = std::string(data) + "/shards/megatron_order.json";
    return io::parse_json(io::read_text_file(path), path);
}

/// lengths_of() of the script, as offsets.
Numbers offsets_of(uint64_t number, uint64_t count) {
    Numbers offsets{0};
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t draw = ((number + 1) * 2654435761 + i * 40503) % (uint64_t{1} << 32) / 65536;
        offsets.push_back(offsets.back() + 1 + draw % 37 + (draw % 53 == 0 ? 200 : 0));
    }
    return offsets;
}

template <class Values>
uint64_t weighted_sum(const Values& values) {
    uint64_t sum = 0;
    for (size_t i = 0; i < values.size(); ++i) sum += (i + 1) * values[i];
    return sum % (uint64_t{1} << 61);
}

Numbers head(std::span<const uint32_t> values) {
    const auto count = std::min<size_t>(values.size(), 40);
    return {values.begin(), values.begin() + static_cast<ptrdiff_t>(count)};
}

/// The tokens of the script's files count up to 60,000.
uint64_t check_samples(const MegatronOrder& order, uint64_t seq_len, const io::Json& expected) {
    uint64_t sum = 0;
    const auto first_tokens = expected.at("first_tokens").get<Numbers>();
    for (uint64_t sample = 0; sample < order.num_samples(); ++sample) {
        std::vector<Piece> pieces;
        order.append_pieces(sample, pieces);
        uint64_t tokens = 0, of_sample = 0;
        for (const Piece& piece : pieces) {
            for (uint64_t i = 0; i < piece.count; ++i) of_sample += (piece.first_token + i) % 60000;
            tokens += piece.count;
        }
        REQUIRE(tokens == seq_len + 1);
        if (sample < first_tokens.size()) {
            REQUIRE(pieces.front().first_token % 60000 == first_tokens[sample]);
        }
        sum += (sample + 1) * of_sample;
    }
    return sum % (uint64_t{1} << 61);
}

}  // namespace

TEST_CASE("megatron order: GPTDataset's three indices and tokens, bit for bit") {
    int separated = 0, shuffled_together = 0;
    const io::Json all = recorded();
    for (const io::Json& set : all.at("sets")) {
        const auto get = [&](const char* key) { return set.at(key).get<uint64_t>(); };
        CAPTURE(get("number"));
        const MegatronOrder order(offsets_of(get("number"), get("documents")), get("seq_len"),
                                  get("seed"), get("num_samples"));
        REQUIRE(order.num_samples() == get("built"));
        CHECK(head(order.document_index()) == set.at("document_index").get<Numbers>());
        CHECK(weighted_sum(order.document_index()) == get("document_index_sum"));
        CHECK(head(order.shuffle_index()) == set.at("shuffle_index").get<Numbers>());
        CHECK(weighted_sum(order.shuffle_index()) == get("shuffle_index_sum"));
        const auto windows = set.at("sample_index").get<std::vector<Numbers>>();
        for (size_t i = 0; i < windows.size(); ++i) {
            const uint64_t last = order.num_samples();
            const uint64_t at = i + 3 < windows.size() ? i : last + 3 + i - windows.size() - 2;
            if (windows.size() < 23) continue;  // fewer windows than the record's two ends
            CHECK(order.window_begin(at) == std::pair(windows[i][0], uint32_t(windows[i][1])));
        }
        CHECK(check_samples(order, get("seq_len"), set) == get("tokens_sum"));
        if (order.num_epochs() > 1)
            ++(order.separates_last_epoch() ? separated : shuffled_together);
    }
    CHECK(separated > 0);
    CHECK(shuffled_together > 0);
}

TEST_CASE("megatron order: BlendedDataset's order and sizes, bit for bit") {
    const io::Json all = recorded();
    for (const io::Json& blend : all.at("blends")) {
        const auto weights = blend.at("weights").get<std::vector<double>>();
        const std::vector<double> once = megatron_normalise(weights);
        const MegatronSizes sizes = megatron_sizes(once, blend.at("num_samples").get<uint64_t>());
        REQUIRE(sizes.shown == blend.at("shown").get<Numbers>());
        REQUIRE(sizes.built == blend.at("built").get<Numbers>());
        const uint64_t total = std::accumulate(sizes.shown.begin(), sizes.shown.end(), uint64_t{0});
        const auto order = make_megatron_blend(megatron_normalise(once), total);
        Numbers sets, samples;
        for (uint64_t i = 0; i < total; ++i) {
            const BlendPlace place = order->locate(i);
            sets.push_back(place.set);
            samples.push_back(place.own);
        }
        CHECK(weighted_sum(sets) == blend.at("sets_sum").get<uint64_t>());
        CHECK(weighted_sum(samples) == blend.at("samples_sum").get<uint64_t>());
        sets.resize(std::min<size_t>(sets.size(), 60));
        CHECK(sets == blend.at("sets").get<Numbers>());
        CHECK_THROWS_AS(order->locate(total), UsageError);
    }
}

TEST_CASE("megatron order: empty documents have no tokens in any sample") {
    const MegatronOrder order({0, 0, 5, 5, 5, 12, 12}, 4, 3, 8);
    uint64_t tokens = 0;
    for (uint64_t sample = 0; sample < order.num_samples(); ++sample) {
        std::vector<Piece> pieces;
        order.append_pieces(sample, pieces);
        for (const Piece& piece : pieces) {
            CHECK(piece.count > 0);
            tokens += piece.count;
        }
    }
    CHECK(tokens == order.num_samples() * 5);
}

TEST_CASE("megatron order: what its indices cannot hold is refused") {
    CHECK_THROWS_AS(MegatronOrder({0, 100}, 10, uint64_t{1} << 32, 5), UsageError);
    CHECK_THROWS_AS(MegatronOrder({0, uint64_t{1} << 31}, 10, 1, 5), UsageError);
    CHECK_THROWS_AS(MegatronOrder({0, 1}, 10, 1, 5), UsageError);
    CHECK_THROWS_AS(MegatronOrder({0}, 10, 1, 5), UsageError);
    const MegatronOrder order({0, 100}, 10, 1, 5);
    std::vector<Piece> pieces;
    CHECK_THROWS_AS(order.append_pieces(order.num_samples(), pieces), UsageError);
}
