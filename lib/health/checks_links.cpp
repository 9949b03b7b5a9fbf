// SPDX-License-Identifier: BSD-3-Clause
// Links of a GPU: PCIe width and generation, NVLink, the NVSwitch fabric.
#include <algorithm>
#include <map>

#include "lib/base/format.h"
#include "lib/gpu/nvml_abi.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

using record::Status;

class Pcie : public Check {
 public:
    std::string_view key() const override { return "gpu.pcie"; }
    std::string_view description() const override {
        return "PCIe links have their full width, and under load their full generation";
    }
    std::string filter(const World& world) const override {
        return has_gpus(world) || !world.now.pci_gpus.empty() ? "" : "no GPU here";
    }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        size_t num_read = 0;
        for (const Gpu& gpu : world.now.gpus) {
            num_read += gpu.number(key::kPcieWidth) ? 1 : 0;
            judge_width(gpu, findings);
            judge_generation(gpu, findings);
            judge_replays(world, gpu, findings);
        }
        if (num_read == 0) num_read = judge_sys(world, findings);
        if (findings.size() > before) return;
        if (num_read == 0) {
            findings.push_back({Status::kNote, "gpu.pcie.unsupported", all_gpus(world),
                                "neither NVML nor /sys tells the link", ""});
        } else {
            findings.push_back(
                {Status::kOk, "gpu.pcie", format("{} GPUs", num_read), "full width", ""});
        }
    }

 private:
    static void judge_width(const Gpu& gpu, Findings& findings) {
        const auto width = gpu.number(key::kPcieWidth);
        const auto most = gpu.number(key::kMaxPcieWidth);
        if (!width || !most || *width >= *most) return;
        findings.push_back({Status::kFail, "gpu.pcie.width", gpu.subject(),
                            format("x{} of x{}", *width, *most),
                            "drain the node; reseat card, riser or cable"});
    }

    /// An idle GPU lowers its generation to save power: that is right (P8, or the idle bit).
    static bool is_idle(const Gpu& gpu) {
        const int64_t mask = gpu.number(key::kClocksEvent).value_or(0);
        return gpu.number(key::kPerformanceState).value_or(0) >= 2 ||
               (static_cast<uint64_t>(mask) & gpu::nvml::clocks_event::kGpuIdle) != 0 ||
               gpu.number(key::kUtilization).value_or(0) == 0;
    }

    static void judge_generation(const Gpu& gpu, Findings& findings) {
        const auto generation = gpu.number(key::kPcieGeneration);
        const auto most = gpu.number(key::kMaxPcieGeneration);
        if (!generation || !most || *generation >= *most || is_idle(gpu)) return;
        findings.push_back({Status::kWarn, "gpu.pcie.generation", gpu.subject(),
                            format("generation {} of {} under load", *generation, *most),
                            "reseat card or riser; check BIOS settings"});
    }

    static void judge_replays(const World& world, const Gpu& gpu, Findings& findings) {
        const auto rise = rise_of(world, gpu, key::kPcieReplays);
        if (!rise) return;
        const double per_hour = static_cast<double>(rise->count) / rise->hours;
        if (per_hour <= world.policy.pcie_replays_per_hour) return;
        findings.push_back({Status::kWarn, "gpu.pcie.replays", gpu.subject(),
                            format("{} replays since the last run, {:.0f} an hour (limit {:.0f})",
                                   rise->count, per_hour, world.policy.pcie_replays_per_hour),
                            "the link is damaged: reseat card, riser or cable"});
    }

    static size_t judge_sys(const World& world, Findings& findings) {
        size_t num_read = 0;
        for (const auto& device : world.now.pci_gpus) {
            if (device.width <= 0 || device.max_width <= 0) continue;
            ++num_read;
            if (device.width >= device.max_width) continue;
            findings.push_back({Status::kFail, "gpu.pcie.width", "GPU at " + device.address,
                                format("x{} of x{}", device.width, device.max_width),
                                "drain the node; reseat card, riser or cable"});
        }
        return num_read;
    }
};

class Nvlink : public Check {
 public:
    std::string_view key() const override { return "gpu.nvlink"; }
    std::string_view description() const override {
        return "as many NVLinks are active as configured, or as on the other GPUs";
    }
    std::string filter(const World& world) const override {
        const std::string reason = needs_gpus(world);
        if (!reason.empty()) return reason;
        const bool any = std::any_of(
            world.now.gpus.begin(), world.now.gpus.end(),
            [](const Gpu& gpu) { return gpu.number(key::kNvlinkCount).value_or(0) > 0; });
        return any || world.policy.nvlink_links > 0 ? "" : "the GPUs have no NVLink";
    }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        const int64_t expected =
            world.policy.nvlink_links >= 0 ? world.policy.nvlink_links : usual_count(world);
        for (const Gpu& gpu : world.now.gpus) {
            const auto active = gpu.number(key::kNvlinkActive);
            const int error = gpu.error(key::kNvlinkActive);
            if (!active && error != static_cast<int>(gpu::nvml::Return::kNotSupported)) {
                continue;  // not read, or the GPU is lost: gpu.answer
            }
            if (active.value_or(0) < expected) {
                findings.push_back(
                    {Status::kFail, "gpu.nvlink.inactive", gpu.subject(),
                     format("{} NVLinks active, {} {}", active.value_or(0),
                            world.policy.nvlink_links >= 0 ? "configured are" : "usual here are",
                            expected),
                     "drain the node; reset all GPUs; check switch or bridge"});
            }
            judge_errors(world, gpu, findings);
        }
        if (expected == 0 && findings.size() == before) {
            findings.push_back({Status::kFail, "gpu.nvlink.inactive", all_gpus(world),
                                "the GPUs have NVLinks and none is active",
                                "start the fabric manager; reset all GPUs"});
        }
        if (findings.size() == before) {
            if (!is_topic_read(world, "nvlink")) return;
            findings.push_back({Status::kOk, "gpu.nvlink", all_gpus(world),
                                format("{} links active on each", expected), ""});
        }
    }

 private:
    /// The commonest number of active links: some models have fewer than the API's maximum.
    static int64_t usual_count(const World& world) {
        std::map<int64_t, int> counts;
        for (const Gpu& gpu : world.now.gpus) {
            if (const auto active = gpu.number(key::kNvlinkActive)) ++counts[*active];
        }
        const auto most =
            std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                return a.second < b.second || (a.second == b.second && a.first < b.first);
            });
        return most == counts.end() ? 0 : most->first;
    }

    static void judge_errors(const World& world, const Gpu& gpu, Findings& findings) {
        const auto rise = rise_of(world, gpu, key::kNvlinkErrors);
        if (!rise) return;
        const double per_hour = static_cast<double>(rise->count) / rise->hours;
        if (per_hour <= world.policy.nvlink_errors_per_hour) return;
        findings.push_back(
            {Status::kWarn, "gpu.nvlink.errors", gpu.subject(),
             format("{} link errors since the last run, {:.0f} an hour (limit {:.0f})", rise->count,
                    per_hour, world.policy.nvlink_errors_per_hour),
             "watch XID 74; reset the GPUs when idle; check switch or bridge"});
    }
};

class Fabric : public Check {
 public:
    std::string_view key() const override { return "gpu.fabric"; }
    std::string_view description() const override {
        return "GPUs on an NVSwitch have joined its fabric, in good health";
    }
    std::string filter(const World& world) const override {
        const std::string reason = needs_gpus(world);
        if (!reason.empty()) return reason;
        const bool any =
            std::any_of(world.now.gpus.begin(), world.now.gpus.end(), [](const Gpu& gpu) {
                return gpu.number(key::kFabricState).value_or(kNotSupported) != kNotSupported;
            });
        return any ? "" : "the GPUs belong to no fabric";
    }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        for (const Gpu& gpu : world.now.gpus) judge(gpu, findings);
        if (findings.size() == before) {
            findings.push_back({Status::kOk, "gpu.fabric", all_gpus(world), "all have joined", ""});
        }
    }

 private:
    static constexpr int64_t kNotSupported = 0, kCompleted = 3;

    static void judge(const Gpu& gpu, Findings& findings) {
        const auto state = gpu.number(key::kFabricState);
        if (!state || *state == kNotSupported) return;
        if (*state != kCompleted) {
            findings.push_back(
                {Status::kFail, "gpu.fabric.state", gpu.subject(),
                 *state == 1 ? "has not begun to join the fabric" : "is still joining the fabric",
                 "start nvidia-fabricmanager of the driver's version"});
            return;
        }
        // Only in this state does the status mean anything.
        if (const int64_t status = gpu.number(key::kFabricStatus).value_or(0); status != 0) {
            findings.push_back({Status::kFail, "gpu.fabric.status", gpu.subject(),
                                format("joining the fabric ended with NVML error {}", status),
                                "restart nvidia-fabricmanager and reset the GPUs"});
        }
        judge_health(gpu, static_cast<uint64_t>(gpu.number(key::kFabricHealth).value_or(0)),
                     findings);
    }

    /// Two bits each: 0 unsupported, 1 true, 2 false; configuration has four, 1 meaning "none".
    static void judge_health(const Gpu& gpu, uint64_t mask, Findings& findings) {
        static constexpr std::pair<int, const char*> kFaults[] = {
            {0, "degraded bandwidth"}, {4, "unhealthy route"}, {6, "access time-outs"}};
        for (const auto& [shift, words] : kFaults) {
            if ((mask >> shift & 3) != 1) continue;
            findings.push_back({Status::kFail, "gpu.fabric.health", gpu.subject(),
                                format("{} (health mask 0x{:x})", words, mask),
                                "drain the node; look at the switch and the fabric manager's log"});
        }
        if ((mask >> 8 & 0xF) >= 2) {
            findings.push_back({Status::kFail, "gpu.fabric.configuration", gpu.subject(),
                                format("wrong fabric configuration {} (health mask 0x{:x})",
                                       mask >> 8 & 0xF, mask),
                                "correct the fabric manager's configuration"});
        }
    }
};

}  // namespace

void add_link_checks(Checks& checks) {
    checks.push_back(std::make_unique<Pcie>());
    checks.push_back(std::make_unique<Nvlink>());
    checks.push_back(std::make_unique<Fabric>());
}

}  // namespace longhaul::health
