// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/run_watch.h"

#include <doctest/doctest.h>

#include "lib/guard/time_limit.h"
#include "lib/io/atomic_file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::guard;

TEST_CASE("run watch: the newest committed step") {
    const test::TempDir dir;
    CHECK_FALSE(newest_committed_step(dir.path()));
    for (const char* name : {"step-00000010", "step-00000020", "step-00000030", "step-x",
                             ".trash-step-00000040", "step-00000050.tmp-1.0"}) {
        std::filesystem::create_directories(dir.path() / "ckpt" / name);
    }
    CHECK_FALSE(newest_committed_step(dir.path()));
    for (const char* name : {"step-00000010", "step-00000020", "step-x", ".trash-step-00000040",
                             "step-00000050.tmp-1.0"}) {
        io::write_file_atomically(dir.path() / "ckpt" / name / "MANIFEST.json", "{}");
    }
    CHECK(newest_committed_step(dir.path()) == 20);
}

TEST_CASE("run watch: exit.json counts only for its own start") {
    const test::TempDir dir;
    CHECK_FALSE(read_exit_record(dir.path(), 0));
    CHECK_FALSE(read_exit_record("", 0));
    io::write_file_atomically(dir / "exit.json",
                              R"({"code":75,"cause":"notice","step":40,"restart":3,"host":"n2"})");
    CHECK_FALSE(read_exit_record(dir.path(), 2));
    const auto record = read_exit_record(dir.path(), 3);
    REQUIRE(record);
    CHECK(record->code == 75);
    CHECK(record->step == 40);
    CHECK(record->host == "n2");
    for (const char* text :
         {"", "{\"code\":7", "[]", "{\"code\":\"x\",\"cause\":\"\",\"restart\":3}",
          "{\"code\":0,\"cause\":\"finished\",\"restart\":3,\"step\":\"x\"}"}) {
        CAPTURE(text);
        io::write_file_atomically(dir / "exit.json", text);
        CHECK_FALSE(read_exit_record(dir.path(), 3));
    }
}

TEST_CASE("progress watch: limits before and after the first progress") {
    const test::TempDir dir;
    const auto file = dir / "progress.json";
    io::write_file_atomically(file, R"({"step":7,"time":1})");  // of the run before
    ProgressWatch watch(file, 100, 10);
    watch.start(0);
    watch.poll(1);
    CHECK_FALSE(watch.stalled_for_s(99));
    CHECK(watch.stalled_for_s(100) == 100);
    io::write_file_atomically(file, R"({"step":8,"time":2})");
    watch.poll(50);
    CHECK_FALSE(watch.stalled_for_s(59));
    io::write_file_atomically(file, R"({"step":8,"time":3})");  // alive, but the same step
    watch.poll(60);
    CHECK(watch.stalled_for_s(61) == 11);
    std::filesystem::remove(file);
    watch.poll(62);
    CHECK(watch.stalled_for_s(62) == 12);
}

TEST_CASE("progress watch: any file, no file, no limit") {
    const test::TempDir dir;
    io::write_file_atomically(dir / "log", "a");
    ProgressWatch watch(dir / "log", 5, 5);
    watch.start(0);
    io::write_file_atomically(dir / "log", "ab");
    watch.poll(4);
    CHECK_FALSE(watch.stalled_for_s(8));
    CHECK(watch.stalled_for_s(9));
    CHECK_FALSE(ProgressWatch("", 1, 1).stalled_for_s(1000));
    CHECK_FALSE(ProgressWatch(dir / "log", 0, 0).stalled_for_s(1000));
}

TEST_CASE("time limit: noticed once, and not before a raised limit") {
    cluster::JobInfo job;
    job.time_limit_s = 3600;
    job.time_left_s = 1000;
    TimeLimitNotice notice(120);
    notice.start(0, job);
    CHECK_FALSE(notice.is_due(879, [&] { return job; }));
    job.time_left_s = 5000;  // raised meanwhile
    CHECK_FALSE(notice.is_due(880, [&] { return job; }));
    job.time_left_s = 100;
    CHECK(notice.is_due(880 + 4880, [&] { return job; }));
    CHECK_FALSE(notice.is_due(880 + 4881, [&] { return job; }));
}

TEST_CASE("time limit: at most a quarter of a short limit; none without a limit") {
    cluster::JobInfo job;
    job.time_limit_s = 60;
    job.time_left_s = 60;
    TimeLimitNotice notice(120);
    notice.start(0, job);
    CHECK_FALSE(notice.is_due(44, [&] { return job; }));
    job.time_left_s = 15;
    CHECK(notice.is_due(45, [&] { return job; }));
    notice.start(0, std::nullopt);
    CHECK_FALSE(notice.is_due(1000000, [&] { return job; }));
}
