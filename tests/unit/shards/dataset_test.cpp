// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/dataset.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/shards/blend.h"
#include "lib/shards/format.h"
#include "lib/shards/shard_writer.h"
#include "tests/unit/shards/shard_folder.h"

using namespace longhaul;
using namespace longhaul::shards;
namespace fs = std::filesystem;

namespace {

/// A folder of shards: two units with documents of 0 to 6 tokens, ids counting up.
class Fixture {
 public:
    explicit Fixture(TokenType type = TokenType::kU16, uint64_t documents = 40,
                     const std::string& name = "set")
        : folder(fs::temp_directory_path() / format("lh-shards-{}-{}", name, ::getpid())) {
        fs::remove_all(folder);
        fs::create_directories(folder);
        details.token_type = type;
        // 60000 or 70000 ids: u16 or u32.
        details.vocab_size = type == TokenType::kU16 ? 60000 : 70000;
        details.borders.eos = {7};
        details.tokenizer_hash = {1, 2};
        details.inputs = {"a.jsonl", "b.jsonl"};
        for (uint64_t unit = 0; unit < 2; ++unit) {
            ShardWriter writer(
                {folder, folder, {ShardFormat::kHdf5, 50}, unit, 0, identity_of(details)});
            for (uint64_t i = 0; i < documents; ++i) {
                std::vector<uint32_t> ids(i % 7);
                for (uint32_t& id : ids)
                    id = static_cast<uint32_t>(tokens.size() % 60000), tokens.push_back(id);
                starts.push_back(tokens.size() - ids.size());
                writer.add(ids, static_cast<uint32_t>(unit), i * 2);
            }
            for (const ShardEntry& entry : writer.close()) details.shards.push_back(entry);
            details.segments.push_back({unit, static_cast<uint32_t>(unit), 0, 1, unit * 100});
        }
        details.num_tokens = tokens.size();
        details.num_documents = documents * 2;
        write_manifest();
    }
    ~Fixture() { fs::remove_all(folder); }

    void write_manifest() const {
        record::Manifest manifest;
        manifest.tool = "tok-shard";
        manifest.version = "0";
        manifest.kind = kManifestKind;
        manifest.details_json = details_to_json(details);
        record::write_manifest(folder / "manifest.json", manifest);
    }

    fs::path folder;
    ShardDetails details;
    std::vector<uint32_t> tokens;
    std::vector<uint64_t> starts;
};

std::string message_of(const fs::path& folder) {
    try {
        Dataset{folder};
        return "(opened)";
    } catch (const Error& error) {
        return error.describe();
    }
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("dataset: reads any window across shards, u16 and u32") {
    for (const TokenType type : {TokenType::kU16, TokenType::kU32}) {
        const Fixture fixture(type);
        const Dataset dataset(fixture.folder);
        CHECK(fixture.details.shards.size() > 4);
        REQUIRE(dataset.info().num_tokens == fixture.tokens.size());
        for (size_t first = 0; first < fixture.tokens.size(); first += 13) {
            for (const size_t count : {size_t{1}, size_t{49}, size_t{120}}) {
                const size_t length = std::min(count, fixture.tokens.size() - first);
                std::vector<uint32_t> out(length);
                dataset.read(first, out);
                const auto begin = fixture.tokens.begin() + static_cast<ptrdiff_t>(first);
                REQUIRE(std::equal(out.begin(), out.end(), begin));
            }
        }
        std::vector<int32_t> past(2);
        CHECK_THROWS_AS(dataset.read(dataset.info().num_tokens - 1, past), DataError);
    }
}

TEST_CASE("dataset: documents know their tokens and their records") {
    const Fixture fixture;
    const Dataset dataset(fixture.folder);
    for (uint64_t i = 0; i < dataset.info().num_documents; ++i) {
        const DocumentRef document = dataset.document(i);
        CHECK(document.first_token == fixture.starts[i]);
        CHECK(document.num_tokens == i % 40 % 7);
        CHECK(document.input == i / 40);
        CHECK(document.record == i % 40 * 2 + i / 40 * 100);
        if (document.num_tokens > 0) {
            CHECK(dataset.document_at(document.first_token).index == i);
            CHECK(dataset.document_at(document.first_token + document.num_tokens - 1).index == i);
        }
    }
    for (uint64_t first = 0; first + 30 < fixture.tokens.size(); first += 7) {
        std::vector<uint64_t> expected;
        for (const uint64_t start : fixture.starts) {
            const bool inside = start >= first && start < first + 30;
            if (inside && (expected.empty() || expected.back() != start)) expected.push_back(start);
        }
        REQUIRE(dataset.document_starts(first, 30) == expected);
    }
}

TEST_CASE("dataset: documents are found whatever their lengths, mapped or not") {
    // Where a guess in proportion is wrong: nothing but short ones and one that holds nearly all,
    // and empty ones in a row.
    std::vector<std::vector<uint32_t>> documents(3000, {5, 1});
    documents[1700].assign(60'000, 7);
    for (size_t i = 300; i < 700; ++i) documents[i].clear();
    const test::ShardFolder folder("skewed", documents);
    OpenOptions options;
    const Dataset direct(folder.path, options);
    options.maps = true;
    const Dataset mapped(folder.path, options);
    uint64_t token = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
        if (documents[i].empty()) continue;
        for (const uint64_t at : {token, token + documents[i].size() - 1}) {
            REQUIRE(direct.document_at(at).index == i);
            REQUIRE(mapped.document_at(at).index == i);
            REQUIRE(mapped.document_begin(at) == token);
        }
        token += documents[i].size();
    }
    for (uint64_t first = 0; first < token; first += 997) {
        REQUIRE(direct.document_starts(first, 2000) == mapped.document_starts(first, 2000));
    }
}

TEST_CASE("dataset: shards are the same bytes every time") {
    const Fixture one(TokenType::kU16, 40, "one"), two(TokenType::kU16, 40, "two");
    REQUIRE(one.details.shards.size() == two.details.shards.size());
    for (size_t i = 0; i < one.details.shards.size(); ++i) {
        CHECK(one.details.shards[i].xxh3_128 == two.details.shards[i].xxh3_128);
    }
}

TEST_CASE("dataset: damage is named") {
    const Fixture fixture;
    const fs::path shard = fixture.folder / fixture.details.shards[1].file;
    const std::string content = io::read_text_file(shard);
    const auto replace = [&](const std::string& bytes) {
        std::ofstream(shard, std::ios::binary | std::ios::trunc) << bytes;
    };
    SUBCASE("torn") {
        replace(content.substr(0, content.size() - 9));
        CHECK(contains(message_of(fixture.folder), "cut or replaced"));
    }
    SUBCASE("missing") {
        fs::remove(shard);
        CHECK(contains(message_of(fixture.folder), "cannot open"));
    }
    SUBCASE("not HDF5") {
        replace(std::string(content.size(), 'x'));
        CHECK(contains(message_of(fixture.folder), "shard-00000-001.h5: "));
    }
    SUBCASE("another tokenizer") {
        Fixture other = Fixture(TokenType::kU16, 40, "other");
        other.details.tokenizer_hash = {3, 4};
        other.write_manifest();
        CHECK(contains(message_of(other.folder), "made by another tokenizer"));
    }
    SUBCASE("no manifest") {
        fs::remove(fixture.folder / "manifest.json");
        CHECK(contains(message_of(fixture.folder), "no manifest.json"));
    }
    SUBCASE("wrong totals") {
        Fixture other = Fixture(TokenType::kU16, 40, "totals");
        ++other.details.num_tokens;
        other.write_manifest();
        CHECK(contains(message_of(other.folder), "the totals say"));
    }
}

TEST_CASE("blend: every sample of every set once an epoch; the tokens are the set's") {
    const Fixture a(TokenType::kU16, 400, "a"), b(TokenType::kU16, 200, "b"),
        c(TokenType::kU16, 90, "c");
    const Blend blend({{a.folder, 5}, {b.folder, 3}, {c.folder, 2}}, {8, 11, {}});
    std::vector<uint64_t> next(3, 0);
    for (uint64_t sample = 0; sample < 4000; ++sample) {
        const SampleSource source = blend.locate(sample);
        REQUIRE(source.sample == next[source.set]++);  // each set in its own order, nothing skipped
    }
    for (const uint64_t sample : {uint64_t{0}, uint64_t{17}, uint64_t{3999}}) {
        std::vector<int32_t> tokens(8), targets(8);
        blend.read(sample, {tokens, targets, {}});
        const SampleSource source = blend.locate(sample);
        REQUIRE(source.pieces.size() == 1);
        const std::vector<uint32_t>& stream = source.set == 0   ? a.tokens
                                              : source.set == 1 ? b.tokens
                                                                : c.tokens;
        for (size_t i = 0; i < 8; ++i) {
            const size_t at = source.pieces[0].first_token + i;
            CHECK(tokens[i] == static_cast<int32_t>(stream[at]));
            CHECK(targets[i] == static_cast<int32_t>(stream[at + 1]));
        }
    }
    CHECK_THROWS_AS(Blend({{a.folder, 0}}, {8, 1, {}}), UsageError);
    CHECK_THROWS_AS(Blend({{a.folder, 1}, {b.folder, 1e-9}}, {8, 1, {}}), UsageError);
    CHECK_THROWS_AS(Blend({}, {8, 1, {}}), UsageError);
}
