// SPDX-License-Identifier: BSD-3-Clause
// --memory is a hard cap: the peak memory of tok-shard as the kernel measures it, with the least
// that is accepted, on long lines, many frames and several units at once.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/philox.h"
#include "lib/io/stream.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kMaxLine = 4 * kMiB;

/// Letters that no tokenizer has long tokens for.
std::string noise(uint64_t bytes, uint64_t seed) {
    std::string text(bytes, ' ');
    for (uint64_t i = 0; i < bytes; ++i) {
        if (i % 9 != 8) text[i] = static_cast<char>('a' + philox_draw({seed}, i).word[0] % 26);
    }
    return text;
}

/// Plain lines, and frames of two megabytes; of both, every tenth document is nearly as long as a
/// line may be.
void make_corpus(const fs::path& folder) {
    const std::string text = noise(kMaxLine, 1);
    for (const char* name : {"plain.jsonl", "frames.jsonl.zst"}) {
        const auto output = io::open_output((folder / name).string());
        for (uint64_t i = 0; i < 60; ++i) {
            const uint64_t size = i % 10 == 0 ? kMaxLine - 1000 : 200'000;
            output->write("{\"text\":\"" + text.substr(i, size - 100) + "\"}\n");
        }
        output->close();
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
    const std::string program = std::string(bin) + "/tok-shard";
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

TEST_CASE("tok-shard keeps its memory below --memory") {
    const test::TempDir dir;
    // By another process: what this one has had would count for its children.
    const pid_t maker = ::fork();
    REQUIRE(maker >= 0);
    if (maker == 0) {
        make_corpus(dir.path());
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(maker, &status, 0) == maker);
    REQUIRE(status == 0);
    struct Case {
        int threads;
        uint64_t more;  // than the least
    };
    for (const Case& it : {Case{1, 0}, Case{2, 0}, Case{8, 64 * kMiB}}) {
        CAPTURE(it.threads);
        const uint64_t threads = static_cast<uint64_t>(it.threads);
        const uint64_t cap = (128 + 64 * threads) * kMiB + 64 * kMiB + it.more;
        const Outcome outcome = run(
            dir.path(), {"-q", "-t", LH_TEST_DATA "/token/hf_gpt2.json", "--force", "--unit-size",
                         "8MiB", "--max-line", std::to_string(kMaxLine), "--memory",
                         std::to_string(cap), "--threads", std::to_string(threads), "--tmp-dir",
                         ".", "-o", "out", "plain.jsonl", "frames.jsonl.zst", "plain.jsonl"});
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.peak_bytes <= cap);
        CHECK(outcome.peak_bytes > 16 * kMiB);
    }
}
