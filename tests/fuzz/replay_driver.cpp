// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without a fuzzer: every seed file, then mutations of them from a fixed random
// seed, so that CI repeats the same inputs. On a crash the input is left in FUZZ_OUT (default:
// crash-<name of the program>). Environment: FUZZ_RUNS (mutations, default 20000), FUZZ_SEED, and
// FUZZ_SECONDS (default 20), after which no further mutation is begun: a slow machine tries fewer.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// What the signal handler needs to save.
std::string current_input;
std::string crash_path;

void save_crash(int signal_number) {
    if (FILE* file = std::fopen(crash_path.c_str(), "wb")) {
        std::fwrite(current_input.data(), 1, current_input.size(), file);
        std::fclose(file);
    }
    std::fprintf(stderr, "signal %d; input saved in %s\n", signal_number, crash_path.c_str());
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

void run(std::string input) {
    current_input = std::move(input);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(current_input.data()),
                           current_input.size());
}

std::vector<std::string> read_seeds(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> seeds;
    for (const auto& file : files) {
        std::ifstream stream(file, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>());
    }
    return seeds;
}

/// A few random edits: flip, set, insert, delete, repeat, cut, splice with another seed.
std::string mutate(std::string text, const std::vector<std::string>& seeds, std::mt19937_64& rng) {
    const auto below = [&rng](size_t n) { return n == 0 ? 0 : rng() % n; };
    for (uint64_t edits = 1 + below(4); edits > 0; --edits) {
        const size_t at = below(text.size() + 1);
        const size_t length = std::min<size_t>(1 + below(16), text.size() - at);
        switch (below(7)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(rng());
                break;
            case 2:
                text.insert(at, 1 + below(4), "\0\xff\"\\{}[]:,09-.\n e\xed\xc3"[below(20)]);
                break;
            case 3:
                text.erase(at, length);
                break;
            case 4:
                text.insert(at, text.substr(at, length));
                break;
            case 5:
                text.resize(at);
                break;
            default: {
                const std::string& other = seeds[below(seeds.size())];
                text = text.substr(0, at) + other.substr(below(other.size() + 1));
            }
        }
    }
    return text;
}

uint64_t from_environment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
        return 2;
    }
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    const char* out = std::getenv("FUZZ_OUT");
    crash_path = out != nullptr ? out : "crash-" + program;
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
        std::signal(number, save_crash);
    }
    const std::vector<std::string> seeds = read_seeds(argv[1]);
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no seeds in %s\n", program.c_str(), argv[1]);
        return 1;
    }
    for (const std::string& seed : seeds) run(seed);
    const uint64_t runs = from_environment("FUZZ_RUNS", 20000);
    std::mt19937_64 rng(from_environment("FUZZ_SEED", 1));
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(from_environment("FUZZ_SECONDS", 20));
    uint64_t done = 0;
    for (; done < runs && Clock::now() < end; ++done) {
        run(mutate(seeds[rng() % seeds.size()], seeds, rng));
    }
    std::printf("%s: %zu seeds and %llu mutations\n", program.c_str(), seeds.size(),
                static_cast<unsigned long long>(done));
    return 0;
}
