// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/run_dir.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/child.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/record/lock.h"
#include "lib/record/metrics.h"
#include "lib/record/tensorboard.h"

namespace longhaul::record {
namespace {

struct TempDir {
    std::filesystem::path path;
    TempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "longhaul-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~TempDir() { std::filesystem::remove_all(path); }
};

TEST_CASE("run_dir: exit and progress records come back; torn ones are none") {
    const TempDir dir;
    const RunDirectory run(dir.path);
    CHECK_FALSE(read_exit_record(run));
    write_exit_record(run, {75, "notice", 120, 100, 3, "", "signal 10"});
    const auto exit = read_exit_record(run);
    REQUIRE(exit);
    CHECK(exit->code == 75);
    CHECK(exit->cause == "notice");
    CHECK(exit->committed_step == 100);
    CHECK(exit->restart == 3);
    write_progress(run, {.step = 7, .total_steps = 10, .loss = 1.5});
    CHECK(read_progress(run)->step == 7);
    std::ofstream(run.progress()) << "{\"step\": 1";
    CHECK_FALSE(read_progress(run));
    CHECK(run.checkpoint(1000) == dir.path / "ckpt" / "step-00001000");
    CHECK(run.ring(7) == dir.path / "ring" / "rank-00007.json");
}

TEST_CASE("run_dir: restart_number prefers LONGHAUL_RESTART and refuses rubbish") {
    setenv("SLURM_RESTART_COUNT", "2", 1);
    CHECK(restart_number() == 2);
    setenv("LONGHAUL_RESTART", "5", 1);
    CHECK(restart_number() == 5);
    setenv("LONGHAUL_RESTART", "x", 1);
    CHECK_THROWS_AS(restart_number(), UsageError);
    unsetenv("LONGHAUL_RESTART");
    unsetenv("SLURM_RESTART_COUNT");
    CHECK(restart_number() == 0);
}

TEST_CASE("lock: a second writer is refused and told who holds it") {
    const TempDir dir;
    const auto path = dir.path / "lock";
    {
        const RunLock lock(path, 0, false);
        lock.check_still_held();
        std::string message;
        try {
            const RunLock second(path, 0, false);
        } catch (const UsageError& error) {
            message = error.describe();
        }
        CHECK(message.find(format("pid {}", getpid())) != std::string::npos);
        CHECK(message.find("--force") != std::string::npos);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("lock: left by a dead process, it is taken over") {
    const TempDir dir;
    const auto path = dir.path / "lock";
    // The child dies without running destructors.
    const auto child = io::run_in_child(
        [&] {
            auto* lock = new RunLock(path, 0, false);
            (void)lock;
            return std::string("held");
        },
        10);
    REQUIRE(child.output == "held");
    REQUIRE(std::filesystem::exists(path));
    const RunLock lock(path, 1, false);
    lock.check_still_held();
}

TEST_CASE("lock: stale rules") {
    const LockOwner self{"n1", getpid(), 0, "boot-2", "77", 3, 0};
    LockOwner other{"n2", 5, 0, "boot-9", "77", 3, 0};
    CHECK(why_stale(other, self).empty());  // same start, other host: may be alive
    other.restart = 2;
    CHECK(why_stale(other, self) == "it is an earlier start of this job");
    other.job = "78";
    CHECK(why_stale(other, self).empty());
    other.host = "n1";
    CHECK(why_stale(other, self) == "its host was booted since");
}

TEST_CASE("lock: one that lost it is told to stop, --force takes it") {
    const TempDir dir;
    const auto path = dir.path / "lock";
    const RunLock first(path, 0, false);
    {
        const RunLock second(path, 1, true);
        CHECK_THROWS_AS(first.check_still_held(), Error);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("tensorboard: checksums and framing as the format has them") {
    CHECK(crc32c("123456789") == 0xE3069283u);  // RFC 3720, B.4 check value
    CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAu);
    const TempDir dir;
    TensorboardWriter writer(dir.path / "tb");
    writer.add(300, 1.5, {{"loss", 2.0}});
    const std::string bytes = io::read_text_file(writer.path());
    uint64_t first = 0, second = 0;
    std::memcpy(&first, bytes.data(), 8);
    REQUIRE(bytes.size() > first + 16 + 8);
    std::memcpy(&second, bytes.data() + 16 + first, 8);
    CHECK(bytes.size() == 32 + first + second);
    const std::string event = bytes.substr(16 + first + 12, second);
    // wall_time 1.5; step 300; summary { value { tag "loss", simple_value 2 } }
    const std::string expected(
        "\x09\0\0\0\0\0\0\xf8\x3f\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\x40", 27);
    CHECK(event == expected);
}

TEST_CASE("metrics: lines are read back, a torn tail is left out") {
    const TempDir dir;
    const auto path = dir.path / "metrics.jsonl";
    append_json_line(path, {{"step", 1}});
    append_json_line(path, {{"step", 2}});
    std::ofstream(path, std::ios::app) << "{\"step\": 3";
    int64_t sum = 0;
    read_json_lines(path, [&](const io::Json& line) { sum += line["step"].get<int64_t>(); });
    CHECK(sum == 3);
    std::ofstream(path, std::ios::app) << "}\nrubbish\n";
    CHECK_THROWS_AS(read_json_lines(path, [](const io::Json&) {}), DataError);
}

TEST_CASE("run_dir: the files of version 1 are read") {
    const char* data = std::getenv("LONGHAUL_TEST_DATA");
    REQUIRE(data != nullptr);
    const RunDirectory run(std::filesystem::path(data) / "run" / "v1");
    CHECK(read_exit_record(run)->cause == "finished");
    CHECK(read_exit_record(run)->committed_step == 3);
    CHECK(read_progress(run)->total_steps == 3);
    CHECK(read_lock(run.lock())->restart == 2);
    std::vector<int64_t> steps, samples;
    read_json_lines(run.metrics(), [&](const io::Json& line) {
        steps.push_back(line["step"]);
        samples.push_back(line["last_sample"]);
        CHECK(line["loss"].is_number());
    });
    CHECK(steps == std::vector<int64_t>{1, 2, 3});
    CHECK(samples == std::vector<int64_t>{3, 7, 11});
    int64_t num_faults = 0;
    read_json_lines(run.faults(), [&](const io::Json& line) {
        CHECK(line["event"] == "save-failed");
        ++num_faults;
    });
    CHECK(num_faults == 1);
    CHECK(io::read_json_file(run.ring(0))["entries"].size() == 64);
}

TEST_CASE("metrics: Prometheus text") {
    CHECK(prometheus_text({{"loss", "training loss", 2.5}}, "a\"b") ==
          "# HELP longhaul_loss training loss\n# TYPE longhaul_loss gauge\n"
          "longhaul_loss{run=\"a\\\"b\"} 2.5\n");
}

}  // namespace
}  // namespace longhaul::record
