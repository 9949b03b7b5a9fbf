// SPDX-License-Identifier: BSD-3-Clause
// --memory is a hard cap: the peak memory of every sub-command as the kernel measures it, on a
// corpus whose keys, groups and shingles exceed the cap several times.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/io/atomic_file.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/dedup/draws.h"

using namespace longhaul;

namespace {

namespace fs = std::filesystem;

constexpr int kFiles = 4;
constexpr int kDocuments = 20000;  // in each file
constexpr uint64_t kMiB = 1 << 20;

/// Documents of 40 words, and a few nearly as long as --max-line; of each three, the last is an
/// edited copy of an earlier one.
void make_corpus(const fs::path& folder) {
    Draws draw{41};
    std::vector<std::vector<std::string>> documents;
    for (int file = 0; file < kFiles; ++file) {
        std::string lines;
        for (int i = 0; i < kDocuments; ++i) {
            std::vector<std::string> words;
            if (i % 3 == 2) {
                words = documents[draw() % documents.size()];
                words[draw() % words.size()] = "edited";
            } else {
                const int num_words = i % 500 == 0 ? 8000 : 40;
                for (int k = 0; k < num_words; ++k) {
                    uint64_t letters = draw();
                    std::string word;
                    for (int at = 0; at < 6; ++at, letters /= 26) {
                        word += static_cast<char>('a' + letters % 26);
                    }
                    words.push_back(word);
                }
                documents.push_back(words);
            }
            lines += "{\"score\":" + std::to_string(draw() % 100) + ",\"text\":\"";
            // A paragraph of lines, so that spans have something to find.
            for (size_t k = 0; k < words.size(); ++k)
                lines += words[k] + (k % 8 == 7 ? "\\n" : " ");
            lines += "\"}\n";
        }
        io::write_file_atomically(folder / (std::to_string(file) + ".jsonl"), lines);
    }
}

struct Outcome {
    int exit_code = -1;
    uint64_t peak_bytes = 0;
};

/// Runs the program in `folder` and measures that process.
Outcome run(const fs::path& folder, std::vector<std::string> args) {
    const char* const bin = std::getenv("LONGHAUL_BIN");
    REQUIRE(bin != nullptr);
    const std::string program = std::string(bin) + "/dedup-minhash";
    args.insert(args.begin(), program);
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (::chdir(folder.c_str()) != 0) ::_exit(126);
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    int status = 0;
    rusage usage{};
    REQUIRE(::wait4(child, &status, 0, &usage) == child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            static_cast<uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

TEST_CASE("every stage keeps its memory below --memory") {
    const test::TempDir dir;
    io::create_directories(dir / "in");
    io::create_directories(dir / "tmp");
    // By another process: what this one has had would count for its children.
    const pid_t maker = ::fork();
    REQUIRE(maker >= 0);
    if (maker == 0) {
        make_corpus(dir / "in");
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(maker, &status, 0) == maker);
    REQUIRE(status == 0);
    const std::vector<std::vector<std::string>> commands{
        {"run", "-o", "out-run", "--removal-list", "list", "--report", "report", "in"},
        {"run", "-o", "out-keep", "--keep", "score", "in"},
        {"run", "-o", "out-transitive", "--transitive", "in"},
        {"plan", "--units", "2", "--max-line", "64KiB", "work", "in"},
        {"sign", "work"},
        {"exact", "work"},
        {"group", "work"},
        {"shingles", "work"},
        {"cluster", "work"},
        {"apply", "-o", "out-apply", "work"},
        {"filter", "--removal-list", "list", "-o", "out-filter", "in"},
        {"spans", "-o", "out-lines", "in"},
        {"spans", "--unit", "substring", "--min-length", "60", "-o", "out-substrings", "in"},
    };
    for (const auto& command : commands) {
        for (const char* threads : {"1", "3"}) {
            // The least that is accepted and a little: what else there is must be spilled.
            const uint64_t cap = (threads[0] == '1' ? 24 : 28) * kMiB;
            std::vector<std::string> args = command;
            const bool is_plan = args[0] == "plan";
            const bool has_plan = is_plan || args.back() == "work";
            if (!is_plan) {
                args.insert(args.end(), {"-q", "--threads", threads, "--tmp-dir", "tmp", "--memory",
                                         std::to_string(cap)});
            }
            if (!has_plan) args.insert(args.end(), {"--max-line", "64KiB"});
            if (args[0] == "run" || args[0] == "spans" || args[0] == "filter") {
                args.insert(args.end(), "--force");
            }
            std::string words;
            for (const std::string& arg : args) words += arg + " ";
            CAPTURE(words);
            const Outcome outcome = run(dir.path(), args);
            CHECK(outcome.exit_code == 0);
            CHECK(outcome.peak_bytes <= cap);
            if (has_plan && !is_plan) {
                if (threads[0] == '1') fs::remove_all(dir / "work" / args[0]);
            }
            fs::remove_all(dir / "out-apply");
        }
    }
}
