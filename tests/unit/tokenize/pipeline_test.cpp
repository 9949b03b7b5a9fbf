// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/shards/dataset.h"
#include "lib/token/load.h"
#include "lib/tokenize/memory_plan.h"
#include "lib/tokenize/plan.h"
#include "lib/tokenize/range_input.h"
#include "lib/tokenize/verify.h"

using namespace longhaul;
using namespace longhaul::tokenize;
namespace fs = std::filesystem;

namespace {

std::string read_stream(io::InputStream& input, size_t block_bytes) {
    std::string text, block(block_bytes, '\0');
    while (const size_t got = input.read(std::as_writable_bytes(std::span(block)))) {
        text.append(block, 0, got);
    }
    return text;
}

/// A file that goes away.
struct TemporaryFile {
    explicit TemporaryFile(const std::string& content)
        : path((fs::temp_directory_path() / format("lh-range-{}", ::getpid())).string()) {
        std::ofstream(path, std::ios::binary) << content;
    }
    ~TemporaryFile() { fs::remove(path); }
    std::string path;
};

}  // namespace

TEST_CASE("range input: any cuts give every line once, in order") {
    for (const std::string& content : {std::string("one\ntwo\n\nfour\nfive without end"),
                                       std::string("\n\n\n"), std::string("no newline at all"),
                                       std::string("a\n"), std::string(300, 'x') + "\nend\n"}) {
        const TemporaryFile file(content);
        for (uint64_t step = 1; step <= content.size() + 1; ++step) {
            std::string joined;
            for (uint64_t begin = 0; begin < content.size(); begin += step) {
                RangeInput range(file.path, begin,
                                 std::min<uint64_t>(begin + step, content.size()));
                const std::string part = read_stream(range, 7);
                CHECK(range.stored_bytes() == part.size());
                CHECK(range.stored_hash() == xxh3_128(part));
                if (!part.empty()) CHECK(range.first_byte() == joined.size());
                joined += part;
            }
            CAPTURE(step);
            REQUIRE(joined == content);
        }
    }
}

TEST_CASE("plan: units share small files and cut large plain ones, never compressed ones") {
    EncodeJob job;
    const std::string corpus = LH_TEST_DATA "/tokshard/corpus.jsonl";
    const std::string compressed = LH_TEST_DATA "/token/documents.zst";
    job.inputs = {corpus, compressed, corpus};
    job.unit_bytes = 10000;
    const Plan plan = make_plan(job);
    uint64_t covered = 0;
    for (const Unit& unit : plan.units) {
        for (const PlannedSegment& segment : unit) {
            covered += segment.end - segment.begin;
            CHECK((segment.input != 1 || segment.is_whole));
        }
    }
    CHECK(covered == plan.total_bytes);
    CHECK(plan.units.size() >= 6);
    job.unit_bytes = 1 << 30;
    CHECK(make_plan(job).units.size() == 1);
    job.inputs = {corpus, "-", corpus};
    CHECK(make_plan(job).units.size() == 3);
    job.inputs = {"-", "-"};
    CHECK_THROWS_AS(make_plan(job), UsageError);
}

TEST_CASE("token shards: version 1 of the format stays readable") {
    const std::string folder = LH_TEST_DATA "/tokshard/v1";
    const shards::Dataset dataset(folder);
    CHECK(dataset.info().num_documents == 120);
    CHECK(dataset.info().num_tokens == 13689);
    CHECK(dataset.info().borders == shards::Borders{{}, {0}});
    const token::Tokenizer tokenizer = token::load_tokenizer({folder + "/tokenizer", "", {}});
    CHECK(tokenizer.hash() == dataset.info().tokenizer_hash);
    const shards::DocumentRef document = dataset.document(77);
    std::vector<uint32_t> ids(document.num_tokens);
    dataset.read(document.first_token, std::span<uint32_t>(ids));
    CHECK(document.record == 77);
    CHECK(xxh3_128(tokenizer.decode(ids, true)).hex() == "78f677540e19a849c7818ebd5f54abf1");
    VerifyOptions options;
    options.source.path = folder;
    options.sample.count = 0;
    options.progress = false;
    CHECK(record::exit_code(verify(options)) == ExitCode::kOk);
}

TEST_CASE("memory plan: every share of --memory is there, and no more than it") {
    constexpr uint64_t kMiB = uint64_t{1} << 20;
    EncodeJob job;
    for (const int threads : {1, 2, 7, 8, 16, 64, 200}) {
        for (const uint64_t line : {uint64_t{0}, uint64_t{1} << 10, 8 * kMiB, 64 * kMiB}) {
            job.threads = threads;
            job.reader.max_line_bytes = line;
            const auto fixed = (128 + 64 * static_cast<uint64_t>(threads)) * kMiB;
            for (uint64_t memory = 0; memory < 64 * 1024 * kMiB; memory += 97 * kMiB) {
                job.memory_bytes = memory;
                if (memory > 0 && memory < fixed + std::max(12 * line, 64 * kMiB)) {
                    CHECK_THROWS_AS(plan_memory(job, 100), UsageError);
                    continue;
                }
                const MemoryPlan plan = plan_memory(job, 100);
                const uint64_t bound =
                    memory > 0 ? memory : (1024 + 128 * static_cast<uint64_t>(threads)) * kMiB;
                REQUIRE(plan.num_units >= 1);
                REQUIRE(plan.num_units <= std::max(1, threads / 4));
                REQUIRE(plan.document_bytes >= 10 * line);
                REQUIRE(fixed + plan.document_bytes +
                            plan.num_units * (2 * line + 2 * plan.ahead_bytes) <=
                        bound);
            }
        }
    }
    job.memory_bytes = 0;
    job.threads = 64;
    CHECK(plan_memory(job, 100).num_units == 16);
    CHECK(plan_memory(job, 3).num_units == 3);
}
