// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fcntl.h>

#include "lib/base/error.h"
#include "lib/base/format.h"
#include "lib/health/explain.h"
#include "lib/health/gpu_keys.h"
#include "lib/health/run.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

using namespace longhaul;
using namespace longhaul::health;
using record::Status;

namespace {

std::filesystem::path folder() {
    const char* data = std::getenv("DATA");
    REQUIRE(data != nullptr);
    return std::filesystem::path(data) / "nvml";
}

Snapshot load(const std::string& name) {
    return snapshot_from_json(io::read_json_file(folder() / (name + ".json")), name);
}

std::string summary(const Findings& findings, bool with_notes = true) {
    std::string text;
    for (const auto& finding : findings) {
        if (finding.status == Status::kOk) continue;
        if (!with_notes && finding.status == Status::kNote) continue;
        text += format("{} {} {}\n", record::status_name(finding.status), finding.code,
                       finding.subject);
    }
    return text;
}

Findings judge(const Snapshot& now, const State& before = {}, const Policy& policy = {},
               Context context = Context::kNone, std::vector<int> job_gpus = {}) {
    return run_checks({now, before, policy, context, std::move(job_gpus)}).findings;
}

/// The state that `now` would leave behind, an hour ago.
State hour_ago(const Snapshot& now) {
    State state = next_state(now, {});
    state.unix_s = now.unix_s - 3600;
    state.counters.unix_s = state.unix_s;
    return state;
}

}  // namespace

TEST_CASE("checks: every recorded node gives its findings (LONGHAUL_ACCEPT=1 rewrites them)") {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() != ".json") continue;
        ++count;
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        const std::string actual = summary(judge(load(name)));
        const auto expected = folder() / (name + ".expected");
        if (std::getenv("LONGHAUL_ACCEPT") != nullptr) {
            const io::UniqueFd fd = io::open_file(expected, O_WRONLY | O_CREAT | O_TRUNC);
            io::write_full(fd.get(), actual, expected.string());
        }
        CHECK(actual == io::read_text_file(expected));
    }
    CHECK(count >= 30);
}

TEST_CASE("checks: every code that a recording gives can be explained") {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() != ".json") continue;
        for (const auto& finding : judge(load(entry.path().stem().string()))) {
            if (finding.code.rfind("sxid.", 0) == 0) continue;
            CHECK_NOTHROW(explain(finding.code));
        }
    }
}

TEST_CASE("checks: keys are unique and described") {
    std::set<std::string_view> keys;
    for (const auto& check : all_checks()) {
        CHECK(keys.insert(check->key()).second);
        CHECK(check->description().size() > 10);
    }
    CHECK(keys.size() >= 14);
}

TEST_CASE("checks: no GPUs is never healthy where GPUs are expected") {
    Policy policy;
    policy.gpus = 8;
    const Snapshot cpu = load("cpu-node");
    CHECK(summary(judge(cpu)) == "note gpu.none node\n");
    CHECK(summary(judge(cpu, {}, policy)) == "fail gpu.driver.down node\n");
    CHECK(record::exit_code(judge(cpu, {}, policy)) == ExitCode::kNegative);
    const Snapshot none = [] {
        Snapshot snapshot;  // nothing could be read at all
        return snapshot;
    }();
    CHECK(record::exit_code(judge(none, {}, policy)) == ExitCode::kFailed);
}

TEST_CASE("checks: a kernel message is judged once, until the next boot") {
    const Snapshot now = load("h100-xid-app");
    CHECK(summary(judge(now)).find("xid.94") != std::string::npos);
    const State seen = next_state(now, {});
    CHECK(summary(judge(now, seen)) == "");
    State other_boot = seen;
    other_boot.boot_id = "b0";
    CHECK(summary(judge(now, other_boot)).find("xid.94") != std::string::npos);
}

TEST_CASE("checks: what lasts is judged again each time") {
    const Snapshot now = load("h100-dbe");
    CHECK(
        summary(judge(now, next_state(now, {})), false) ==
        "fail gpu.ecc.uncorrected GPU 1 0000:2a:00.0\nfail gpu.remap.pending GPU 1 0000:2a:00.0\n");
}

TEST_CASE("checks: counters are judged by their rise") {
    Snapshot now = load("h100-healthy");
    const State before = hour_ago(now);
    now.gpus[0].values[key::kEccVolatileCorrected].number = 5000;
    now.gpus[1].values[key::kPcieReplays].number = 100;
    now.counters.ports["mlx5_1/1"]["link_downed"] = 1;
    now.counters.ports["mlx5_2/1"]["symbol_error"] = 100;
    CHECK(summary(judge(now, before)) ==
          "warn gpu.ecc.corrected GPU 0 0000:1a:00.0\nfail node.port.link_downed port mlx5_1/1\n");
    CHECK(summary(judge(now)) == "");  // without an earlier run the totals say nothing
    State reset = before;              // the driver was reloaded since: counted from zero
    reset.gpus["GPU-00000000"][key::kEccVolatileCorrected] = 9999;
    CHECK(summary(judge(now, reset)).find("warn gpu.ecc.corrected") == 0);
}

TEST_CASE("checks: leftovers are judged on the job's own GPUs only") {
    Snapshot now = load("h100-healthy");
    now.gpus[1].values[key::kProcesses].number = 2;
    now.gpus[1].values[key::kProcessIds].text = "41 42";
    now.gpus[2].values[key::kMemoryUsed].number = 30000;
    CHECK(summary(judge(now)) == "");
    CHECK(summary(judge(now, {}, {}, Context::kProlog, {0, 3})) == "");
    CHECK(summary(judge(now, {}, {}, Context::kProlog, {0, 1, 2})) ==
          "fail gpu.leftover.process GPU 1 0000:2a:00.0\nwarn gpu.leftover.memory GPU 2 "
          "0000:3a:00.0\n");
}

TEST_CASE("checks: a job that may not read the kernel log is not unhealthy for that") {
    const Snapshot now = load("h100-no-kmsg");
    CHECK(summary(judge(now)) == "unknown xid.unread kernel log\n");
    CHECK(summary(judge(now, {}, {}, Context::kJob)) == "");
}

TEST_CASE("checks: expectations of the site") {
    Policy policy;
    policy.model = "a100";
    policy.driver = "550.";
    policy.nvlink_links = 20;
    const std::string text = summary(judge(load("h100-healthy"), {}, policy));
    CHECK(text.find("fail gpu.same.model GPU 3") != std::string::npos);
    CHECK(text.find("warn gpu.same.driver node") != std::string::npos);
    CHECK(text.find("fail gpu.nvlink.inactive GPU 0") != std::string::npos);
}

TEST_CASE("checks: report forms") {
    Report report;
    report.findings = judge(load("h100-pcie-x8"));
    CHECK(to_text(report, false).find("fail    gpu.pcie.width") == 0);
    CHECK(to_prometheus(report).find(
              "finding{status=\"fail\",code=\"gpu.pcie.width\",subject=\"GPU 0 "
              "0000:1a:00.0\"} 1\n") != std::string::npos);
    CHECK(record::drain_reason(report.findings, "gpu-health") ==
          "gpu-health: gpu.pcie.width GPU 0 0000:1a:00.0: x8 of x16");
}

TEST_CASE("recording: what is wrong in it is named") {
    const auto error_of = [](const std::string& text) {
        try {
            snapshot_from_json(io::parse_json(text, "f"), "f");
        } catch (const DataError& error) {
            return error.describe();
        }
        return std::string();
    };
    CHECK(error_of("{}").find("no recording") != std::string::npos);
    const std::string head = R"({"kind":"gpu-health recording","schema":1,)";
    CHECK(error_of(head + R"("gpus":[{"name":[]}]})").find("f: gpus[0].name") != std::string::npos);
    CHECK(error_of(head + R"("disks":[{}]})").find("path") != std::string::npos);
    CHECK(error_of(R"({"kind":"gpu-health recording","schema":2})").find("newer") !=
          std::string::npos);
}
