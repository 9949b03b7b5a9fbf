// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/replay.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "lib/io/file.h"
#include "tests/unit/shards/shard_folder.h"

using namespace longhaul;
using namespace longhaul::shards;
using record::Status;

namespace {

std::vector<std::vector<uint32_t>> documents(size_t count) {
    std::vector<std::vector<uint32_t>> list;
    for (size_t i = 0; i < count; ++i) {
        list.emplace_back(3 + i * 7 % 11, static_cast<uint32_t>(100 + i));
    }
    return list;
}

Status status_of(const ReplayResult& result, const std::string& code) {
    const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                    [&](const auto& finding) { return finding.code == code; });
    return found == result.findings.end() ? Status::kUnknown : found->status;
}

ReplayOptions options_of(int64_t steps) {
    ReplayOptions options;
    options.steps = steps;
    options.global_batch = 9;
    options.micro_batch = 2;
    return options;
}

}  // namespace

TEST_CASE("replay: every order and packing holds, with skipped ranges") {
    const test::ShardFolder a("replay-a", documents(60)), b("replay-b", documents(25));
    for (const char* order : {"feistel", "sequential", "block"}) {
        for (const char* packing : {"stream", "best-fit"}) {
            SampleWords words;
            words.order = order;
            words.packing = packing;
            words.order_block = 5;
            words.order_window = 3;
            const Blend blend({{a.path, 2.5}, {b.path, 1}}, {16, 7, settings_of(words), {}, false});
            ReplayOptions options = options_of(40);
            options.skip = {{10, 30}, {99, 99}};
            const ReplayResult result = replay(blend, options);
            CHECK(record::exit_code(result.findings) == ExitCode::kOk);
            CHECK(result.findings.size() == 7);
            CHECK(result.samples == 40 * 9);
            CHECK(result.blend_error > 0);
            CHECK(result.blend_error < 1);
            CHECK(replay(blend, options).order == result.order);
        }
    }
}

TEST_CASE("replay: ranks that overlap, or leave samples out, are found") {
    const test::ShardFolder a("replay-c", documents(60));
    const Blend blend({{a.path, 1}}, {16, 7, {}, {}, false});
    ReplayOptions options = options_of(20);
    options.split = [](int64_t total, int64_t parts, int64_t index) {
        tensor::Range range = tensor::split_evenly(total, parts, index);
        if (index > 0) --range.first;  // the last sample of the rank before
        return range;
    };
    const ReplayResult overlap = replay(blend, options);
    CHECK(status_of(overlap, "loader.ranks") == Status::kFail);
    CHECK(status_of(overlap, "loader.order") == Status::kFail);
    CHECK(status_of(overlap, "loader.restarts") == Status::kFail);
    CHECK(record::exit_code(overlap.findings) == ExitCode::kNegative);
    options.world_sizes = {1};
    options.split = [](int64_t total, int64_t, int64_t) { return tensor::Range{0, total - 1}; };
    CHECK(status_of(replay(blend, options), "loader.ranks") == Status::kFail);
    CHECK(status_of(replay(blend, options), "loader.skip") == Status::kFail);
}

TEST_CASE("replay: an id outside the vocabulary is found") {
    const test::ShardFolder a("replay-d", documents(60));
    const std::string id("\x96\0\x96\0", 4);  // document 50: token 150, more than once
    int replaced = 0;
    for (const auto& entry : std::filesystem::directory_iterator(a.path)) {
        if (entry.path().extension() != ".h5") continue;
        std::string bytes = io::read_text_file(entry.path());
        const size_t at = bytes.find(id);
        if (at == std::string::npos) continue;
        bytes.replace(at, 2, "\xff\xff");
        std::ofstream(entry.path(), std::ios::binary) << bytes;
        ++replaced;
    }
    REQUIRE(replaced == 1);
    const Blend blend({{a.path, 1}}, {16, 7, {}, {}, false});
    ReplayOptions options = options_of(10);
    CHECK(status_of(replay(blend, options), "loader.content") == Status::kFail);
}
