// SPDX-License-Identifier: BSD-3-Clause
// Is the driver there, are all GPUs there, do they answer, does the driver ask for something?
#include <algorithm>
#include <set>

#include "lib/base/format.h"
#include "lib/gpu/nvml_abi.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"
#include "lib/health/nvml_reader.h"

namespace longhaul::health {

namespace {

using gpu::nvml::RecoveryAction;
using gpu::nvml::Return;
using record::Status;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class DeviceCount : public Check {
 public:
    std::string_view key() const override { return "gpu.count"; }
    std::string_view description() const override {
        return "the driver runs and shows as many GPUs as expected and as are plugged in";
    }
    std::string filter(const World&) const override { return ""; }

    void run(const World& world, Findings& findings) const override {
        const Group& nvml = world.now.group("nvml");
        const size_t num_pci = world.now.pci_gpus.size();
        if (nvml.state != GroupState::kRead) return add_hung(world, nvml, findings);
        if (!world.now.nvml_problem.empty()) return add_no_driver(world, findings);
        const int64_t count = number_of(world, "gpu_count");
        const int64_t expected = world.policy.gpus;
        if (expected >= 0 && count < expected) {
            findings.push_back(
                {Status::kFail, "gpu.count.missing", "node",
                 format("{} GPUs, {} says {}{}", count, source(world), expected,
                        missing_text(world)),
                 "look at the kernel log; reboot the node; reseat or replace the GPU"});
        } else if (static_cast<int64_t>(num_pci) > count && world.context != Context::kJob) {
            findings.push_back(
                {Status::kFail, "gpu.count.missing", "node",
                 format("NVML shows {} of the {} GPUs that are plugged in{}", count, num_pci,
                        missing_text(world)),
                 "look at the kernel log; reboot the node; reseat or replace the GPU"});
        } else if (count == 0) {
            findings.push_back({Status::kNote, "gpu.none", "node",
                                "the driver runs but shows no GPU",
                                "say --expect-gpus where GPUs should be"});
        } else {
            findings.push_back(
                {Status::kOk, "gpu.count", "node",
                 format("{} GPUs{}, driver {}", count,
                        expected >= 0 ? format(" ({} says {})", source(world), expected) : "",
                        text_of(world, "driver_version")),
                 ""});
        }
    }

 private:
    static int64_t number_of(const World& world, const char* name) {
        const auto found = world.now.system.find(name);
        return found == world.now.system.end() ? 0 : found->second.number.value_or(0);
    }
    static std::string text_of(const World& world, const char* name) {
        const auto found = world.now.system.find(name);
        return found == world.now.system.end() ? "unknown" : found->second.text;
    }
    static std::string source(const World& world) {
        return world.policy.gpus_source.empty() ? "configuration" : world.policy.gpus_source;
    }

    static void add_hung(const World& world, const Group& nvml, Findings& findings) {
        findings.push_back(
            {Status::kUnknown, "gpu.driver.hung", "node",
             format("starting NVML: {} ({})", nvml.why, group_state_name(nvml.state)),
             world.now.pci_gpus.empty()
                 ? "look at the driver and the kernel log"
                 : "the driver hangs: look at the kernel log, then reboot the node"});
    }

    static void add_no_driver(const World& world, Findings& findings) {
        const size_t num_pci = world.now.pci_gpus.size();
        const std::string& problem = world.now.nvml_problem;
        if (num_pci == 0 && world.policy.gpus <= 0) {
            findings.push_back(
                {Status::kNote, "gpu.none", "node",
                 "no NVIDIA GPU is plugged in, no driver answers, and none is expected",
                 "say --expect-gpus where GPUs should be"});
            return;
        }
        const std::string wanted =
            world.policy.gpus > 0 ? format("{} says {} GPUs, ", source(world), world.policy.gpus)
                                  : "";
        const int64_t error = error_of(world);
        const bool is_permission = error == static_cast<int64_t>(Return::kNoPermission) ||
                                   error == static_cast<int64_t>(Return::kUnknown);
        findings.push_back({is_permission ? Status::kUnknown : Status::kFail,
                            is_permission ? "gpu.driver.permission" : "gpu.driver.down", "node",
                            format("{}{} GPUs plugged in; {}", wanted, num_pci, problem),
                            is_permission
                                ? "look at /dev/nvidia* and the device cgroup of this process"
                                : "load or reinstall the driver; reboot after an update"});
    }

    static int64_t error_of(const World& world) {
        const auto found = world.now.system.find("init");
        return found == world.now.system.end() ? 0 : found->second.error;
    }

    /// "; missing 0000:4e:00.0": plugged-in GPUs that NVML does not show.
    static std::string missing_text(const World& world) {
        std::set<std::string> shown;
        for (const Gpu& gpu : world.now.gpus) {
            std::string bus_id = lower(gpu.text(key::kBusId));
            if (bus_id.size() == 16) bus_id.erase(0, 4);
            shown.insert(bus_id);
        }
        std::string text;
        for (const auto& device : world.now.pci_gpus) {
            if (shown.count(lower(device.address)) == 0) {
                text += format("{} {}", text.empty() ? "; missing" : ",", device.address);
            }
        }
        return text;
    }
};

class Answers : public Check {
 public:
    std::string_view key() const override { return "gpu.answer"; }
    std::string_view description() const override {
        return "every GPU answers all questions in time";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        for (const Gpu& gpu : world.now.gpus) {
            add_error(gpu, Return::kGpuIsLost, "gpu.lost", "the GPU is lost",
                      "drain and reboot the node; replace the GPU on repetition", findings);
            add_error(gpu, Return::kResetRequired, "gpu.reset_required", "the GPU must be reset",
                      "drain the node and reset the GPU", findings);
            add_error(gpu, Return::kCorruptedInforom, "gpu.inforom",
                      "the GPU's InfoROM is corrupted", "reflash or replace the GPU", findings);
        }
        add_unread(world, findings);
        if (findings.size() == before) {
            findings.push_back({Status::kOk, "gpu.answer", all_gpus(world), "all answer", ""});
        }
    }

 private:
    static void add_error(const Gpu& gpu, Return error, const char* code, const char* what,
                          const char* remedy, Findings& findings) {
        for (const auto& [name, value] : gpu.values) {
            if (value.error != static_cast<int>(error)) continue;
            findings.push_back({Status::kFail, code, gpu.subject(),
                                format("{}: NVML error {} for {}", what, value.error, name),
                                remedy});
            return;
        }
    }

    /// Groups "gpu.3.ecc" that were not read, one finding for each GPU.
    static void add_unread(const World& world, Findings& findings) {
        for (const Gpu& gpu : world.now.gpus) {
            std::string topics, why;
            for (const std::string_view topic : kGpuTopics) {
                const Group& group = world.now.group(format("gpu.{}.{}", gpu.index, topic));
                if (group.state == GroupState::kRead) continue;
                topics += format("{}{} ({})", topics.empty() ? "" : ", ", topic,
                                 group_state_name(group.state));
                if (why.empty()) why = group.why;
            }
            if (topics.empty()) continue;
            findings.push_back(
                {Status::kUnknown, "gpu.unread", gpu.subject(),
                 format("{}{}{}", topics, why.empty() ? "" : ": ", why),
                 "the driver hangs or crashes: look at the kernel log; drain and reboot"});
        }
    }
};

class Recovery : public Check {
 public:
    std::string_view key() const override { return "gpu.recovery"; }
    std::string_view description() const override {
        return "the driver asks for no reset, reboot or drain";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        size_t num_known = 0;
        for (const Gpu& gpu : world.now.gpus) {
            const auto action = gpu.number(key::kRecoveryAction);
            if (!action) continue;
            ++num_known;
            if (*action == static_cast<int64_t>(RecoveryAction::kNone)) continue;
            const auto [what, remedy] = words(static_cast<RecoveryAction>(*action));
            findings.push_back({Status::kFail, "gpu.recovery", gpu.subject(),
                                format("recovery action {}: {}", *action, what), remedy});
        }
        if (findings.size() > before || !is_topic_read(world, "recovery")) return;
        if (num_known == 0) {
            findings.push_back({Status::kNote, "gpu.recovery.unsupported", all_gpus(world),
                                "this driver does not tell (570 and later do)", ""});
        } else {
            findings.push_back(
                {Status::kOk, "gpu.recovery", all_gpus(world), "no action asked for", ""});
        }
    }

 private:
    static std::pair<const char*, const char*> words(RecoveryAction action) {
        switch (action) {
            case RecoveryAction::kNone:
                break;
            case RecoveryAction::kGpuReset:
                return {"GPU reset", "drain the node and reset the GPU"};
            case RecoveryAction::kNodeReboot:
                return {"node reboot", "drain and reboot the node"};
            case RecoveryAction::kDrainP2p:
                return {"drain peer-to-peer", "drain the node: peers must not use this GPU"};
            case RecoveryAction::kDrainAndReset:
                return {"drain and reset", "drain the node and reset the GPU"};
            case RecoveryAction::kRecoverImex:
                return {"recover IMEX", "restart nvidia-imex on the domain"};
        }
        return {"unknown to this version", "drain the node; see nvidia-smi -q"};
    }
};

/// All GPUs of a node are of one kind, and of the expected one.
class Uniform : public Check {
 public:
    std::string_view key() const override { return "gpu.same"; }
    std::string_view description() const override {
        return "model, firmware, ECC and MIG mode are the same on all GPUs, and as configured";
    }
    std::string filter(const World& world) const override { return needs_gpus(world); }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        compare(world, key::kName, "model", findings);
        compare(world, key::kVbios, "firmware (VBIOS)", findings);
        compare(world, key::kEccMode, "ECC mode", findings);
        compare(world, key::kMig, "MIG mode", findings);
        compare(world, key::kPersistence, "persistence mode", findings);
        for (const Gpu& gpu : world.now.gpus) expect_model(world, gpu, findings);
        expect_driver(world, findings);
        if (findings.size() == before && is_topic_read(world, "identity")) {
            findings.push_back({Status::kOk, "gpu.same", all_gpus(world), "all are alike", ""});
        }
    }

 private:
    static std::string value_of(const Gpu& gpu, const char* name) {
        const auto number = gpu.number(name);
        return number ? format("{}", *number) : gpu.text(name);
    }

    static void compare(const World& world, const char* name, const char* what,
                        Findings& findings) {
        std::set<std::string> values;
        for (const Gpu& gpu : world.now.gpus) {
            const std::string value = value_of(gpu, name);
            if (!value.empty()) values.insert(value);
        }
        if (values.size() < 2) return;
        std::string list;
        for (const std::string& value : values) list += (list.empty() ? "" : ", ") + value;
        findings.push_back({Status::kWarn, "gpu.same.differs", all_gpus(world),
                            format("{} differs: {}", what, list), "make them the same, or update"});
    }

    static void expect_model(const World& world, const Gpu& gpu, Findings& findings) {
        const std::string name = gpu.text(key::kName);
        if (world.policy.model.empty() || name.empty()) return;
        if (lower(name).find(lower(world.policy.model)) != std::string::npos) return;
        findings.push_back({Status::kFail, "gpu.same.model", gpu.subject(),
                            format("{}, expected {}", name, world.policy.model),
                            "correct the node's configuration, or replace the GPU"});
    }

    static void expect_driver(const World& world, Findings& findings) {
        const auto found = world.now.system.find("driver_version");
        if (world.policy.driver.empty() || found == world.now.system.end()) return;
        if (found->second.text.rfind(world.policy.driver, 0) == 0) return;
        findings.push_back(
            {Status::kWarn, "gpu.same.driver", "node",
             format("driver {}, expected {}", found->second.text, world.policy.driver),
             "install the expected driver"});
    }
};

}  // namespace

void add_driver_checks(Checks& checks) {
    checks.push_back(std::make_unique<DeviceCount>());
    checks.push_back(std::make_unique<Answers>());
    checks.push_back(std::make_unique<Recovery>());
    checks.push_back(std::make_unique<Uniform>());
}

}  // namespace longhaul::health
