// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/classify.h"

#include <doctest/doctest.h>

#include <functional>

using namespace longhaul;
using namespace longhaul::guard;

namespace {

cluster::JobInfo running_job() {
    cluster::JobInfo job;
    job.job_id = "12";
    job.state = "RUNNING";
    job.time_limit_s = 86400;
    job.time_left_s = 40000;
    return job;
}

Evidence evidence_with(int exit_code) {
    Evidence evidence;
    evidence.exit_code = exit_code;
    evidence.job = running_job();
    evidence.notice_s = 120;
    return evidence;
}

ExitRecord record(int code, const std::string& cause, const std::string& host = "") {
    ExitRecord record;
    record.code = code;
    record.cause = cause;
    record.host = host;
    return record;
}

struct Row {
    const char* what;
    int exit_code;
    std::function<void(Evidence&)> more;
    Cause cause;
};

}  // namespace

TEST_CASE("classify: table") {
    const Row rows[] = {
        {"exit 0", 0, [](Evidence&) {}, Cause::kFinished},
        {"exit 0 of an srun that started nothing", 0,
         [](Evidence& e) { e.clue = Clue{Cause::kNode, "", "task 0 launch failed", 78, true, {}}; },
         Cause::kNode},
        {"exit 2", 2, [](Evidence&) {}, Cause::kConfiguration},
        {"exit 93", 93, [](Evidence&) {}, Cause::kStopped},
        {"exit 75, nothing known", 75, [](Evidence& e) { e.job.reset(); }, Cause::kNotice},
        {"exit 75 long before the limit", 75, [](Evidence&) {}, Cause::kNotice},
        {"exit 75 near the limit", 75, [](Evidence& e) { e.job->time_left_s = 100; },
         Cause::kTimeLimit},
        {"exit 75 while preempted", 75, [](Evidence& e) { e.job->preempt_unix_s = 5; },
         Cause::kPreemption},
        {"scancel wins over exit.json", 75,
         [](Evidence& e) {
             e.job->state = "CANCELLED";
             e.exit_record = record(75, "notice");
         },
         Cause::kCancelled},
        {"Slurm's time limit", 143, [](Evidence& e) { e.job->state = "TIMEOUT"; },
         Cause::kTimeLimit},
        {"killed while preempted", 143, [](Evidence& e) { e.job->preempt_unix_s = 5; },
         Cause::kPreemption},
        {"exit.json wins over the launcher's code", 1,
         [](Evidence& e) { e.exit_record = record(3, "non-finite"); }, Cause::kNonFinite},
        {"a rank failed after rank 0 had finished", 139,
         [](Evidence& e) { e.exit_record = record(0, "finished"); }, Cause::kCode},
        {"others saved because one was killed", 137,
         [](Evidence& e) {
             e.exit_record = record(75, "notice");
             e.clue = Clue{Cause::kNode, "n2", "n2: task 1: Killed", 30, false, 137};
         },
         Cause::kNode},
        {"saved near the limit although one was killed", 137,
         [](Evidence& e) {
             e.exit_record = record(75, "notice");
             e.job->time_left_s = 20;
         },
         Cause::kTimeLimit},
        {"a rank was killed, the others report a broken connection", 137,
         [](Evidence& e) {
             e.exit_record = record(3, "network", "n1");
             e.clue = Clue{Cause::kNode, "n2", "n2: task 1: Killed", 30, false, 137};
         },
         Cause::kNode},
        {"a broken connection and nothing else", 3,
         [](Evidence& e) { e.exit_record = record(3, "network", "n1"); }, Cause::kNetwork},
        {"hang", 143, [](Evidence& e) { e.is_hang = true; }, Cause::kHang},
        {"hang because a host is gone", 143,
         [](Evidence& e) {
             e.is_hang = true;
             e.lost_hosts = {"n3"};
         },
         Cause::kNode},
        {"lost host", 137, [](Evidence& e) { e.lost_hosts = {"n3"}; }, Cause::kNode},
        {"out of memory", 137,
         [](Evidence& e) { e.clue = Clue{Cause::kMemory, "n1", "oom-kill", 85, false, {}}; },
         Cause::kMemory},
        {"killed, nothing else known", 137, [](Evidence&) {}, Cause::kNode},
        {"killed outside of Slurm", 137, [](Evidence& e) { e.job.reset(); }, Cause::kMemory},
        {"segmentation fault", 139, [](Evidence&) {}, Cause::kCode},
        {"exit 1", 1, [](Evidence&) {}, Cause::kCode},
        {"USR1 that the program does not handle", 138, [](Evidence&) {}, Cause::kNotice},
        {"TERM passed on to a program that does not handle it", 143,
         [](Evidence& e) { e.was_told = true; }, Cause::kNotice},
        {"unknown word in exit.json", 0, [](Evidence& e) { e.exit_record = record(0, "??"); },
         Cause::kFinished},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Evidence evidence = evidence_with(row.exit_code);
        row.more(evidence);
        CHECK(cause_name(classify(evidence).cause) == std::string(cause_name(row.cause)));
    }
}

TEST_CASE("classify: who is to blame") {
    Evidence evidence = evidence_with(3);
    evidence.exit_record = record(3, "gpu", "n7");
    CHECK(classify(evidence).hosts == std::vector<std::string>{"n7"});
    CHECK(classify(evidence).dead_hosts.empty());
    evidence.exit_record = record(3, "network", "n7");  // only noticed it
    CHECK(classify(evidence).hosts.empty());
    evidence.exit_record = record(0, "finished", "n7");
    evidence.exit_code = 0;
    CHECK(classify(evidence).hosts.empty());

    evidence = evidence_with(137);
    evidence.lost_hosts = {"n3"};
    CHECK(classify(evidence).dead_hosts == std::vector<std::string>{"n3"});

    evidence = evidence_with(1);  // "CUDA error" names no host, the dead task does
    evidence.clue = Clue{Cause::kGpu, "", "CUDA error", 60, false, {}};
    evidence.failed_hosts = {"n5"};
    CHECK(classify(evidence).hosts == std::vector<std::string>{"n5"});

    evidence = evidence_with(1);  // a host that can not start a task is out at once
    evidence.clue = Clue{Cause::kNode, "n2", "Task launch failed", 78, true, {}};
    CHECK(classify(evidence).dead_hosts == std::vector<std::string>{"n2"});
}

TEST_CASE("causes: names are unique and parse back") {
    for (const Cause cause : all_causes()) {
        CHECK(parse_cause(cause_name(cause)) == cause);
        CHECK_FALSE(std::string(cause_meaning(cause)).empty());
    }
    CHECK_FALSE(parse_cause("gremlins"));
}
