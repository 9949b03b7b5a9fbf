// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/collect.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "lib/health/active.h"
#include "lib/health/gpu_keys.h"
#include "lib/health/run.h"
#include "lib/io/json.h"

using namespace longhaul;
using namespace longhaul::health;

namespace {

/// A node played by the NVML stand-in, without the rest of this machine.
class FakeNode {
 public:
    explicit FakeNode(const std::string& script, const char* library = "NVML_FAKE") {
        path_ = "/tmp/nvml-fake-test." + std::to_string(getpid());
        std::ofstream(path_) << script;
        setenv("LONGHAUL_NVML_FAKE", path_.c_str(), 1);
        setenv("LONGHAUL_NVML", std::getenv(library), 1);
        options_.group_deadline_s = 1.5;  // also on a machine that is busy
        options_.deadline_s = 30;
        options_.disks = {"/"};
        options_.kernel_log = "/dev/null";
    }
    ~FakeNode() {
        unlink(path_.c_str());
        unsetenv("LONGHAUL_NVML");
        unsetenv("LONGHAUL_NVML_FAKE");
    }
    CollectOptions& options() { return options_; }
    Snapshot snapshot() const { return collect(options_); }
    /// Everything that is neither ok nor a note, as "status code subject".
    std::string verdict(int64_t expect_gpus = -1) const {
        const Snapshot now = snapshot();
        Policy policy;
        policy.gpus = expect_gpus;
        const State before;
        std::string text;
        for (const auto& finding : run_checks({now, before, policy, Context::kNone, {}}).findings) {
            if (finding.status == record::Status::kOk || finding.status == record::Status::kNote)
                continue;
            if (finding.code.rfind("node.", 0) == 0) continue;  // of this machine
            text += std::string(record::status_name(finding.status)) + " " + finding.code + " " +
                    finding.subject + "\n";
        }
        return text;
    }

 private:
    std::string path_;
    CollectOptions options_;
};

}  // namespace

TEST_CASE("collect: a healthy node of 8 GPUs") {
    const FakeNode node("");
    CHECK(node.verdict(8) == "");
    const Snapshot now = node.snapshot();
    REQUIRE(now.gpus.size() == 8);
    CHECK(now.gpus[7].text(key::kName) == "NVIDIA H100 80GB HBM3");
    CHECK(now.gpus[0].subject() == "GPU 0 0000:1a:00.0");
    CHECK(now.gpus[3].number(key::kNvlinkActive) == 18);
    CHECK(now.gpus[3].error(key::kRetiredPending) == 3);
    CHECK(now.system.at("driver_version").text == "570.86.15");
}

TEST_CASE("collect: a recording is the same node") {
    const FakeNode node("gpus = 2\n[gpu 1]\necc_volatile_uncorrected = 3\n");
    const Snapshot now = node.snapshot();
    const io::Json json = to_json(now);
    CHECK(to_json(snapshot_from_json(json, "x")) == json);
}

TEST_CASE("collect: a driver that hangs on start is unknown, in time") {
    const FakeNode node("hang = nvmlInit_v2\n");
    const auto start = std::chrono::steady_clock::now();
    CHECK(node.verdict(8) == "unknown gpu.driver.hung node\n");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

TEST_CASE("collect: one call of one GPU that hangs costs one group") {
    const FakeNode node("gpus = 4\n[gpu 2]\nhang = nvmlDeviceGetTotalEccErrors\n");
    CHECK(node.verdict(4) == "unknown gpu.unread GPU 2 0000:3a:00.0\n");
    const Snapshot now = node.snapshot();
    REQUIRE(now.gpus.size() == 4);
    CHECK(now.groups.at("gpu.2.ecc").state == GroupState::kTimedOut);
    CHECK(now.gpus[2].number(key::kTemperature) == 38);
    CHECK(now.gpus[3].number(key::kEccVolatileUncorrected) == 0);
}

TEST_CASE("collect: a crash inside the driver's library is contained") {
    const FakeNode node("gpus = 2\n[gpu 0]\ncrash = nvmlDeviceGetTemperature\n");
    CHECK(node.verdict(2) == "unknown gpu.unread GPU 0 0000:1a:00.0\n");
    CHECK(node.snapshot().groups.at("gpu.0.clocks").state == GroupState::kCrashed);
}

TEST_CASE("collect: a driver that hangs everywhere does not take for ever") {
    FakeNode node("gpus = 8\nhang = nvmlDeviceGetHandleByIndex_v2\n");
    const auto start = std::chrono::steady_clock::now();
    CHECK(node.verdict(8).find("unknown gpu.") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("collect: a lost GPU, a missing GPU, no driver, no permission") {
    CHECK(FakeNode("gpus = 2\n[gpu 1]\nerror.nvmlDeviceGetTemperature = 15\n").verdict(2) ==
          "fail gpu.lost GPU 1 0000:2a:00.0\n");
    CHECK(FakeNode("gpus = 2\n[gpu 1]\nerror.nvmlDeviceGetHandleByIndex_v2 = 15\n").verdict(2) ==
          "fail gpu.lost GPU 1\n");
    CHECK(FakeNode("gpus = 7\n").verdict(8) == "fail gpu.count.missing node\n");
    CHECK(FakeNode("init = 9\n").verdict(8) == "fail gpu.driver.down node\n");
    CHECK(FakeNode("init = 18\n").verdict(8) == "fail gpu.driver.down node\n");
    CHECK(FakeNode("init = 999\n").verdict(8) == "unknown gpu.driver.permission node\n");
    CHECK(FakeNode("gpus = 0\n").verdict(8) == "fail gpu.count.missing node\n");
}

TEST_CASE("collect: an old driver lacks functions, which is a note") {
    const FakeNode node("gpus = 2\n", "NVML_FAKE_OLD");
    CHECK(node.verdict(2) == "");
    const Snapshot now = node.snapshot();
    CHECK(now.gpus[0].error(key::kRecoveryAction) == 13);
    CHECK(now.gpus[0].number(key::kClocksEvent) == 1);  // under its old name
}

TEST_CASE("active: host tests pass here and a chain is a constant") {
    ActiveOptions options;
    options.memory_bytes = 8 << 20;
    options.file_bytes = 2 << 20;
    for (const auto& finding : run_active(options, {})) {
        CAPTURE(finding.evidence);
        CHECK(finding.status == record::Status::kOk);
    }
    CHECK(compute_chain(1000) == compute_chain(1000));
    options.tmp_dir = "/nonexistent";
    CHECK(run_active(options, {}).back().status == record::Status::kUnknown);
}
