// SPDX-License-Identifier: BSD-3-Clause
// Runs over ranks: the pieces, and whole runs on threads beside a run in one process.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/comm/world.h"
#include "lib/dedup/dedup_minhash.h"
#include "lib/dedup/ranks/candidate_stream.h"
#include "lib/dedup/ranks/rank_documents.h"
#include "lib/dedup/ranks/ranked_run.h"
#include "lib/dedup/ranks/record_exchange.h"
#include "lib/dedup/spool.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/dedup/draws.h"

using namespace longhaul;

namespace {

struct Message {
    int from, to;
    uint64_t number;
};

/// Short documents; a third are edited copies of earlier ones, some are equal.
std::vector<std::string> make_texts(size_t count) {
    Draws draw{5};
    const auto below = [&](uint64_t bound) { return draw() % bound; };
    const auto word = [&] {
        std::string text;
        for (int i = 0; i < 5; ++i) text += static_cast<char>('a' + below(26));
        return text + " ";
    };
    std::vector<std::vector<std::string>> documents;
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
        std::vector<std::string> words;
        const uint64_t kind = below(9);
        if (i > 0 && kind < 4) words = documents[below(i)];
        if (words.empty()) {
            for (int k = 0; k < 30; ++k) words.push_back(word());
        } else if (kind > 0) {
            words[below(words.size())] = word();
        }
        texts.emplace_back();
        for (const std::string& each : words) texts.back() += each;
        documents.push_back(std::move(words));
    }
    return texts;
}

struct Corpus {
    test::TempDir dir;
    dedup::Options options;

    /// @param sizes of the files, in documents
    explicit Corpus(const std::vector<size_t>& sizes) {
        log::init("dedup-minhash", log::Level::kError);
        size_t total = 0, at = 0;
        for (const size_t size : sizes) total += size;
        const std::vector<std::string> texts = make_texts(total);
        io::create_directories(dir / "in");
        for (size_t file = 0; file < sizes.size(); ++file) {
            std::string lines;
            for (size_t i = 0; i < sizes[file]; ++i, ++at) {
                const uint64_t score = at * 7 % 11;
                lines += io::to_line({{"text", texts[at]}, {"score", score}}) + "\n";
            }
            io::write_file_atomically(path_of(file), lines);
        }
        options.inputs = {(dir / "in").string()};
        options.memory_bytes = 26 << 20;
        options.reader.max_line_bytes = 1 << 16;
        options.tmp_dir = dir.path().string();
        options.progress = false;
    }
    std::string path_of(size_t file) const {
        return (dir / "in" / (std::to_string(file) + ".jsonl")).string();
    }
    /// Sets names for a new output.
    dedup::Options options_for(const std::string& name) const {
        dedup::Options result = options;
        result.output = (dir / name).string() + "/";
        result.removal_list = (dir / (name + ".list")).string();
        result.report = (dir / (name + ".json")).string();
        return result;
    }
    std::string content(const std::string& name, size_t num_files) const {
        std::string all = io::read_text_file(dir / name / "manifest.json");
        for (size_t i = 0; i < num_files; ++i) {
            all += io::read_text_file(dir / name / (std::to_string(i) + ".jsonl"));
        }
        io::Json report = io::parse_json(io::read_text_file(dir / (name + ".json")), name);
        for (const char* key : {"stages", "spilled_bytes"}) report.erase(key);
        return all + io::read_text_file(dir / (name + ".list")) + io::to_line(report);
    }
};

void run_on_threads(int num_ranks, const dedup::Options& options) {
    comm::run_threads(num_ranks,
                      [&](comm::World& world) { dedup::run_over_ranks(world.comm(), options); });
}

}  // namespace

TEST_CASE("records reach the ranks that they are for, in rounds of any size") {
    constexpr int kRanks = 3;
    constexpr uint64_t kNumEach = 1000;
    for (const uint64_t memory : {uint64_t{0}, uint64_t{1000}, uint64_t{1} << 20}) {
        CAPTURE(memory);
        std::mutex mutex;
        uint64_t num_arrived = 0;
        comm::run_threads(kRanks, [&](comm::World& world) {
            const int rank = world.comm().rank();
            // Rank 1 has nothing; rank 2 sends all to rank 0.
            const uint64_t num = rank == 1 ? 0 : kNumEach;
            uint64_t next = 0;
            std::map<int, uint64_t> last;
            uint64_t num_here = 0;
            bool is_right = true;
            dedup::exchange_records<Message>(
                world.comm(), memory, "test",
                [&](Message& message, int& to) {
                    if (next == num) return false;
                    to = rank == 2 ? 0 : static_cast<int>(next * next % kRanks);
                    message = {rank, to, ++next};
                    return true;
                },
                [&](int from, const Message& message) {
                    is_right = is_right && message.from == from && message.to == rank &&
                               message.number > last[from];
                    last[from] = message.number;
                    ++num_here;
                });
            const std::lock_guard lock(mutex);
            CHECK(is_right);
            num_arrived += num_here;
        });
        CHECK(num_arrived == 2 * kNumEach);
    }
}

TEST_CASE("a spool gives records in order, from memory and from its file") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    for (const uint64_t count : {0, 1, 64, 65, 1000}) {
        CAPTURE(count);
        dedup::Spool<uint64_t> spool(area, 512);  // 64 records
        for (uint64_t i = 0; i < count; ++i) spool.add(i * i);
        CHECK(spool.count() == count);
        uint64_t number = 0;
        bool is_right = true;
        for (uint64_t record = 0; spool.next(record); ++number) {
            is_right = is_right && record == number * number;
        }
        CHECK(is_right);
        CHECK(number == count);
        spool.clear();
        CHECK(spool.count() == 0);
    }
    CHECK(area.bytes_written() > 0);
}

TEST_CASE("candidates arrive as they were sent, also larger than a message") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    const std::vector<size_t> sizes{3, 0, 300'000, 1, 131'072};
    dedup::CandidateWriter writer(area);
    for (size_t i = 0; i < sizes.size(); ++i) {
        dedup::StreamedCandidate candidate{{i, {}}, {i, 2 * i}, {}};
        candidate.candidate.groups.resize(i, dedup::Packed48(7 * i));
        for (size_t k = 0; k < sizes[i]; ++k) candidate.set.push_back(k ^ i);
        writer.add(candidate);
    }
    writer.finish();
    comm::run_threads(2, [&](comm::World& world) {
        if (world.comm().rank() == 1) return writer.send(world.comm(), 0);
        auto reader = dedup::CandidateReader::of(world.comm(), 1, writer.num_words());
        dedup::StreamedCandidate candidate;
        for (size_t i = 0; i < sizes.size(); ++i) {
            REQUIRE(reader.next(candidate));
            CHECK(candidate.candidate.id == i);
            CHECK(candidate.candidate.groups.size() == i);
            CHECK(candidate.order == dedup::OrderKey{i, 2 * i});
            REQUIRE(candidate.set.size() == sizes[i]);
            CHECK((sizes[i] == 0 || candidate.set.back() == ((sizes[i] - 1) ^ i)));
        }
        CHECK_FALSE(reader.next(candidate));
    });
}

TEST_CASE("the shares of ranks are neighbours and hold every input once") {
    std::vector<dedup::Input> list;
    for (const uint64_t bytes : {5u, 0u, 100u, 1u, 1u, 1u, 90u, 0u}) {
        list.push_back(dedup::make_input("x.jsonl", "x", {}, bytes, false));
    }
    for (const size_t num_inputs : {size_t{0}, size_t{1}, list.size()}) {
        const dedup::Inputs inputs(std::vector(list.begin(), list.begin() + num_inputs));
        for (const int num_ranks : {1, 2, 3, 8, 20}) {
            size_t end = 0;
            for (int rank = 0; rank < num_ranks; ++rank) {
                const dedup::InputShare share = dedup::share_of(inputs, rank, num_ranks);
                CHECK(share.begin == end);
                CHECK(share.end >= share.begin);
                end = share.end;
            }
            CHECK(end == num_inputs);
        }
    }
    const dedup::Inputs inputs(list);
    CHECK(dedup::share_of(inputs, 0, 2).end == 3);
}

TEST_CASE("ranks write the bytes of a run in one process") {
    const std::vector<size_t> sizes{900, 0, 1, 1200, 700};
    Corpus corpus(sizes);
    int variant = 0;
    for (const char* keep : {"first", "score,length"}) {
        for (const bool is_transitive : {false, true}) {
            CAPTURE(keep);
            CAPTURE(is_transitive);
            corpus.options.keep = dedup::KeepRule::parse(keep, {});
            corpus.options.parameters.is_transitive = is_transitive;
            const std::string name = "v" + std::to_string(++variant);
            dedup::run(corpus.options_for(name));
            const std::string want = corpus.content(name, sizes.size());
            for (const int num_ranks : {1, 2, 3, 7}) {
                CAPTURE(num_ranks);
                const std::string other = name + "r" + std::to_string(num_ranks);
                run_on_threads(num_ranks, corpus.options_for(other));
                CHECK((corpus.content(other, sizes.size()) == want));
            }
        }
    }
}

TEST_CASE("ranks spill what exceeds their memory, and write the same") {
    const std::vector<size_t> sizes{9000, 9000};
    Corpus corpus(sizes);
    dedup::run(corpus.options_for("want"));
    corpus.options.memory_bytes = (23 << 20) + (1 << 19);  // 2.1 MB of keys a rank, half of it
    run_on_threads(2, corpus.options_for("got"));
    const io::Json report = io::parse_json(io::read_text_file(corpus.dir / "got.json"), "report");
    CHECK(report["spilled_bytes"].get<uint64_t>() > 1'000'000);
    for (const char* file : {"/0.jsonl", "/1.jsonl", ".list"}) {
        CHECK((io::read_text_file(corpus.dir / (std::string("got") + file)) ==
               io::read_text_file(corpus.dir / (std::string("want") + file))));
    }
}

TEST_CASE("what one rank can not do ends all, with its words") {
    const std::vector<size_t> sizes{50, 50, 50, 50};
    Corpus corpus(sizes);
    const auto error_of = [&](const dedup::Options& options) -> std::string {
        try {
            run_on_threads(3, options);
        } catch (const Error& error) {
            return error.describe();
        }
        return "no error";
    };
    SUBCASE("a damaged container") {
        io::write_file_atomically(corpus.dir / "in" / "3.jsonl.zst", "\x28\xB5\x2F\xFD cut");
        const std::string error = error_of(corpus.options_for("out"));
        CAPTURE(error);
        CHECK(error.find("rank 2") != std::string::npos);
        CHECK(error.find("3.jsonl.zst") != std::string::npos);
    }
    SUBCASE("too many bad records in all") {
        io::write_file_atomically(corpus.path_of(3), std::string("{\"text\": 1}\n{}\n"));
        const std::string error = error_of(corpus.options_for("out"));
        CHECK(error.find("2 of 152 records") != std::string::npos);
    }
    SUBCASE("what needs one process") {
        dedup::Options options = corpus.options_for("out");
        options.output = "-";
        CHECK(error_of(options).find("several ranks cannot write one stream") != std::string::npos);
        options = corpus.options_for("out");
        options.against.emplace_back();
        CHECK(error_of(options).find("--work") != std::string::npos);
    }
    SUBCASE("an output of other options") {
        run_on_threads(2, corpus.options_for("out"));
        run_on_threads(3, corpus.options_for("out"));  // complete already
        dedup::Options options = corpus.options_for("out");
        options.parameters.threshold = 0.9;
        CHECK(error_of(options).find("threshold") != std::string::npos);
    }
}
