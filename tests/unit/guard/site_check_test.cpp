// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/site_check.h"

#include <doctest/doctest.h>

#include "lib/cluster/number_list.h"
#include "lib/io/atomic_file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::guard;

namespace {

/// A site where everything can be survived.
SiteFacts good_site() {
    SiteFacts facts;
    facts.site.keys = {{"JobRequeue", "1"},        {"AuthInfo", "cred_expire=5"},
                       {"KillWait", "60 sec"},     {"SlurmdTimeout", "60 sec"},
                       {"Prolog", "(null)"},       {"JobFileAppend", "1"},
                       {"MpiDefault", "pmix"},     {"PreemptType", "preempt/partition_prio"},
                       {"PreemptMode", "REQUEUE"}, {"RequeueExit", "(null)"}};
    facts.site.partitions = {{"debug", "REQUEUE", 60, std::nullopt}};
    return facts;
}

std::string status_of(const SiteFacts& facts, const std::string& code) {
    for (const record::Finding& finding : check_site(facts)) {
        if (finding.code == code) return record::status_name(finding.status);
    }
    return "absent";
}

}  // namespace

TEST_CASE("site check: nothing to say about a good site") {
    for (const record::Finding& finding : check_site(good_site())) {
        CAPTURE(finding.code);
        CHECK(finding.status == record::Status::kOk);
    }
}

TEST_CASE("site check: each weakness is named") {
    struct Row {
        const char* key;
        const char* value;
        const char* code;
        const char* status;
    };
    const Row rows[] = {
        {"JobRequeue", "0", "slurm.requeue", "warn"},
        {"AuthInfo", "(null)", "slurm.requeue_delay", "note"},
        {"KillWait", "5 sec", "slurm.kill_wait", "warn"},
        {"SlurmdTimeout", "300 sec", "slurm.node_loss", "note"},
        {"SlurmdTimeout", "0 sec", "slurm.node_loss", "fail"},
        {"Prolog", "/etc/slurm/prolog", "slurm.prolog", "warn"},
        {"JobFileAppend", "0", "slurm.log", "note"},
        {"MpiDefault", "none", "slurm.mpi", "note"},
        {"RequeueExit", "90-95", "slurm.requeue_exit", "fail"},
        {"RequeueExitHold", "70,75", "slurm.requeue_exit_hold", "fail"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.key);
        SiteFacts facts = good_site();
        facts.site.keys[row.key] = row.value;
        CHECK(status_of(facts, row.code) == row.status);
    }
}

TEST_CASE("site check: preemption") {
    const std::tuple<const char*, int64_t, const char*> rows[] = {
        {"CANCEL", 60, "fail"}, {"SUSPEND,GANG", 60, "warn"}, {"REQUEUE", 0, "warn"},
        {"OFF", 0, "ok"},       {"CLUSTER", 60, "ok"},
    };
    for (const auto& [mode, grace_s, status] : rows) {
        CAPTURE(mode);
        SiteFacts facts = good_site();
        facts.site.partitions[0].preempt_mode = mode;
        facts.site.partitions[0].grace_time_s = grace_s;
        CHECK(status_of(facts, "slurm.preemption") == status);
    }
}

TEST_CASE("site check: a job that may not be requeued") {
    SiteFacts facts = good_site();
    facts.job.emplace();
    facts.job->partition = "debug";
    CHECK(status_of(facts, "slurm.requeue") == "fail");
    facts.job->requeue = true;
    CHECK(status_of(facts, "slurm.requeue") == "ok");
}

TEST_CASE("run check: a folder that may not be written fails") {
    const test::TempDir dir;
    CHECK(check_run_directory(dir / "new/run")[0].status == record::Status::kOk);
    io::write_file_atomically(dir / "file", "");
    CHECK(check_run_directory(dir / "file/run")[0].status == record::Status::kFail);
}

TEST_CASE("number list: ranges and rubbish") {
    using cluster::number_list_contains;
    CHECK(number_list_contains("101-109,75", 75));
    CHECK(number_list_contains("101-109,75", 105));
    CHECK_FALSE(number_list_contains("101-109,75", 76));
    CHECK_FALSE(number_list_contains("", 0));
    CHECK_FALSE(number_list_contains("x,75", 75));
    CHECK_FALSE(number_list_contains("1-", 1));
}
