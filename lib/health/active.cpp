// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/active.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/child.h"
#include "lib/io/file.h"

namespace longhaul::health {

namespace {

using record::Finding;
using record::Status;

constexpr uint64_t kMaxMemory = uint64_t{4} << 30;
constexpr uint64_t kSteps = 200'000'000;  // about 0.3 s on a processor of 2020
constexpr size_t kWordsAtOnce = 128 << 10;

uint64_t word_at(uint64_t pass, uint64_t index) {
    return (index + 1) * 0x9E3779B97F4A7C15ull ^ (pass % 2 == 0 ? 0 : ~uint64_t{0});
}

/// Address-dependent words, then their complement: every bit is both 0 and 1 once.
std::string test_memory(uint64_t bytes) {
    std::vector<uint64_t> words(bytes / sizeof(uint64_t));
    for (uint64_t pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < words.size(); ++i) words[i] = word_at(pass, i);
        for (size_t i = 0; i < words.size(); ++i) {
            if (words[i] != word_at(pass, i)) {
                return format("word {} of {}: {:#018x} instead of {:#018x}", i, words.size(),
                              words[i], word_at(pass, i));
            }
        }
    }
    return "";
}

std::vector<int> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
}

/// The same chain on every processor at once; the majority is right.
std::string test_cpus() {
    const std::vector<int> cpus = usable_cpus();
    std::vector<uint64_t> results(cpus.size());
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < cpus.size(); ++i) {
            threads.emplace_back([&, i] {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(cpus[i], &one);
                sched_setaffinity(0, sizeof one, &one);
                results[i] = compute_chain(kSteps);
            });
        }
    }
    std::vector<uint64_t> sorted = results;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i] == sorted[sorted.size() / 2]) continue;
        return format("CPU {} computed {:016x}, others {:016x}", cpus[i], results[i],
                      sorted[sorted.size() / 2]);
    }
    return "";
}

/// Writes a file, drops it from the page cache, and reads it back.
std::string test_disk(const std::string& folder, uint64_t bytes) {
    const std::string path = format("{}/.gpu-health-{}", folder, ::getpid());
    const io::UniqueFd fd = io::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    ::unlink(path.c_str());  // nothing stays, however this ends
    std::vector<uint64_t> words(kWordsAtOnce);
    const uint64_t num_pieces = std::max<uint64_t>(1, bytes / (kWordsAtOnce * sizeof(uint64_t)));
    for (uint64_t piece = 0; piece < num_pieces; ++piece) {
        for (size_t i = 0; i < words.size(); ++i) words[i] = word_at(0, piece * kWordsAtOnce + i);
        io::write_full(fd.get(), std::as_bytes(std::span(words)), path);
    }
    if (::fsync(fd.get()) != 0) throw IoError("cannot fsync " + path);
    ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
    for (uint64_t piece = 0; piece < num_pieces; ++piece) {
        const uint64_t offset = piece * kWordsAtOnce * sizeof(uint64_t);
        io::pread_exact(fd.get(), std::as_writable_bytes(std::span(words)), offset, path);
        for (size_t i = 0; i < words.size(); ++i) {
            if (words[i] != word_at(0, piece * kWordsAtOnce + i)) {
                return format("byte {} of {} differs", offset + i * sizeof(uint64_t), path);
            }
        }
    }
    return "";
}

struct ActiveTest {
    std::string code, subject, done, remedy;
    std::function<std::string()> body;  // what is wrong, or ""
};

Finding run_test(const ActiveTest& test, double deadline_s) {
    const io::ChildResult result = io::run_in_child(test.body, deadline_s);
    if (result.ok() && result.output.empty())
        return {Status::kOk, test.code, test.subject, test.done, ""};
    if (result.ok()) {
        return {Status::kFail, test.code + ".wrong", test.subject, result.output, test.remedy};
    }
    const std::string why = result.timed_out     ? format("not finished in {:.3g} s", deadline_s)
                            : result.signal != 0 ? format("ended by signal {}", result.signal)
                                                 : result.error_output;
    return {Status::kUnknown, "active.unfinished", test.subject, test.code + ": " + why,
            "run it again with a longer --deadline; look at the kernel log"};
}

}  // namespace

uint64_t compute_chain(uint64_t steps) {
    uint64_t state = 0x243F6A8885A308D3ull;
    for (uint64_t i = 0; i < steps; ++i) {
        state = state * 6364136223846793005ull + i;
        state ^= state >> 29;
    }
    return state;
}

Findings run_active(const ActiveOptions& options, const Snapshot& now) {
    uint64_t memory_bytes = options.memory_bytes;
    if (memory_bytes == 0) {
        const auto available =
            static_cast<uint64_t>(std::max<int64_t>(now.memory.available_kib, 0)) * 1024;
        memory_bytes = std::clamp<uint64_t>(available / 4, 1 << 20, kMaxMemory);
    }
    const ActiveTest tests[] = {
        {"active.memory", "host memory", format("{} kept two patterns", human_bytes(memory_bytes)),
         "drain the node; test and replace the DIMM", [&] { return test_memory(memory_bytes); }},
        {"active.cpu", "processors", format("{} processors agree", usable_cpus().size()),
         "drain the node; replace the processor", [] { return test_cpus(); }},
        {"active.disk", options.tmp_dir,
         format("{} written and read back", human_bytes(options.file_bytes)),
         "drain the node; test the disk",
         [&] { return test_disk(options.tmp_dir, options.file_bytes); }}};
    Findings findings;
    for (const ActiveTest& test : tests) findings.push_back(run_test(test, options.deadline_s));
    return findings;
}

}  // namespace longhaul::health
