// SPDX-License-Identifier: BSD-3-Clause
// The node around the GPUs: network ports, memory, disks.
#include <algorithm>
#include <map>

#include "lib/base/format.h"
#include "lib/base/units.h"
#include "lib/health/check.h"

namespace longhaul::health {

namespace {

using cluster::RdmaPort;
using record::Status;

bool is_missing(const World& world, const char* group, const char* code, Findings& findings) {
    const Group& reading = world.now.group(group);
    if (reading.state == GroupState::kRead) return false;
    findings.push_back({Status::kUnknown, code, group,
                        format("{} ({})", reading.why, group_state_name(reading.state)),
                        "look at the kernel log; a file system or driver hangs"});
    return true;
}

class Ports : public Check {
 public:
    std::string_view key() const override { return "node.port"; }
    std::string_view description() const override {
        return "RDMA ports are up at the rate of their peers, without new link errors";
    }
    std::string filter(const World& world) const override {
        const bool has_none = world.now.rdma_ports.empty() && world.now.counters.ports.empty() &&
                              world.now.group("ports").state == GroupState::kRead;
        return has_none ? "no network port with counters" : "";
    }

    void run(const World& world, Findings& findings) const override {
        if (is_missing(world, "ports", "node.port.unread", findings)) return;
        const size_t before = findings.size();
        judge_states(world.now.rdma_ports, findings);
        if (world.before.exists) judge_counters(world, findings);
        if (findings.size() > before) return;
        findings.push_back(
            {Status::kOk, "node.port", format("{} ports", world.now.counters.ports.size()),
             world.before.exists ? "up, no new errors" : "up (no earlier counters to compare)",
             ""});
    }

 private:
    static void judge_states(const std::vector<RdmaPort>& ports, Findings& findings) {
        std::map<std::string, double> best_rate;  // by link layer, of active ports
        for (const RdmaPort& port : ports) {
            if (port.state != "ACTIVE") continue;
            double& best = best_rate[port.link_layer];
            best = std::max(best, port.rate_gbit_per_s);
        }
        for (const RdmaPort& port : ports) {
            const std::string subject = "port " + port.name();
            const auto best = best_rate.find(port.link_layer);
            if (port.state == "ACTIVE") {
                if (port.rate_gbit_per_s < best->second) {
                    findings.push_back(
                        {Status::kWarn, "node.port.rate", subject,
                         format("{} Gb/s, its peers have {} Gb/s", port.rate_gbit_per_s,
                                best->second),
                         "a link trained too slow: reseat or replace cable and optics"});
                }
            } else if (port.phys_state == "LinkUp") {
                findings.push_back({Status::kFail, "node.port.state", subject,
                                    format("state {} although the link is up", port.state),
                                    "look at the subnet manager"});
            } else {
                // Perhaps never cabled: only a warning, unless the site makes it a failure.
                findings.push_back(
                    {best == best_rate.end() ? Status::kNote : Status::kWarn, "node.port.down",
                     subject, format("state {}, physical state {}", port.state, port.phys_state),
                     "check cable, optics and switch port"});
            }
        }
    }

    static void judge_counters(const World& world, Findings& findings) {
        for (const auto& rise : cluster::rises(world.before.counters, world.now.counters)) {
            findings.push_back({rise.rule->is_fatal ? Status::kFail : Status::kWarn,
                                "node.port." + std::string(rise.rule->name), "port " + rise.port,
                                format("{} rose by {} in {}: {}", rise.rule->name, rise.rise,
                                       human_duration(rise.seconds), rise.rule->meaning),
                                std::string(rise.rule->remedy)});
        }
    }
};

class HostMemory : public Check {
 public:
    std::string_view key() const override { return "node.memory"; }
    std::string_view description() const override {
        return "memory is available, none is corrupted";
    }
    std::string filter(const World&) const override { return ""; }

    void run(const World& world, Findings& findings) const override {
        if (is_missing(world, "memory", "node.memory.unread", findings)) return;
        const Memory& memory = world.now.memory;
        if (memory.total_kib <= 0) {
            findings.push_back({Status::kUnknown, "node.memory.unread", "/proc/meminfo",
                                "MemTotal is missing", "look at /proc"});
            return;
        }
        const size_t before = findings.size();
        const double percent = 100.0 * static_cast<double>(memory.available_kib) /
                               static_cast<double>(memory.total_kib);
        if (memory.corrupted_kib > 0) {
            findings.push_back(
                {Status::kFail, "node.memory.corrupted", "host memory",
                 format("{} KiB are corrupted (HardwareCorrupted)", memory.corrupted_kib),
                 "drain the node and replace the DIMM"});
        }
        // A running job may use all memory; between jobs that is a leftover.
        const bool between_jobs =
            world.context == Context::kProlog || world.context == Context::kEpilog;
        if (percent < world.policy.memory_available_percent) {
            findings.push_back({between_jobs ? Status::kWarn : Status::kNote, "node.memory.low",
                                "host memory",
                                format("{:.1f} % of {} available", percent,
                                       human_bytes(static_cast<uint64_t>(memory.total_kib) * 1024)),
                                "look for leftover processes and files in /dev/shm"});
        }
        if (findings.size() == before) {
            findings.push_back({Status::kOk, "node.memory", "host memory",
                                format("{:.0f} % of {} available", percent,
                                       human_bytes(static_cast<uint64_t>(memory.total_kib) * 1024)),
                                ""});
        }
    }
};

class Disks : public Check {
 public:
    std::string_view key() const override { return "node.disk"; }
    std::string_view description() const override {
        return "the file systems that jobs need have space and can be written";
    }
    std::string filter(const World& world) const override {
        return world.policy.disks.empty() ? "no disk is configured" : "";
    }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        for (const auto& [name, group] : world.now.groups) {
            if (name.rfind("disk ", 0) != 0 || group.state == GroupState::kRead) continue;
            findings.push_back({Status::kUnknown, "node.disk.unread", name,
                                format("{} ({})", group.why, group_state_name(group.state)),
                                "a file server does not answer, or a disk hangs"});
        }
        for (const Disk& disk : world.now.disks) judge(world, disk, findings);
        if (findings.size() == before) {
            findings.push_back({Status::kOk, "node.disk",
                                format("{} file systems", world.now.disks.size()),
                                "space is left on all", ""});
        }
    }

 private:
    static void judge(const World& world, const Disk& disk, Findings& findings) {
        if (disk.total_mib < 0) {
            findings.push_back({Status::kWarn, "node.disk.missing", disk.path, disk.why,
                                "mount it, or correct [limits] disks"});
            return;
        }
        if (disk.is_read_only) {
            findings.push_back({Status::kFail, "node.disk.read_only", disk.path,
                                "mounted read-only",
                                "look at the kernel log for disk errors; drain the node"});
        } else if (disk.free_mib < std::min(world.policy.disk_free_mib, disk.total_mib / 2)) {
            findings.push_back({Status::kWarn, "node.disk.full", disk.path,
                                format("{} MiB of {} MiB free", disk.free_mib, disk.total_mib),
                                "remove files that jobs left behind"});
        } else if (disk.free_inodes == 0) {
            findings.push_back({Status::kWarn, "node.disk.inodes", disk.path, "no inode is left",
                                "remove files that jobs left behind"});
        }
    }
};

}  // namespace

void add_node_checks(Checks& checks) {
    checks.push_back(std::make_unique<Ports>());
    checks.push_back(std::make_unique<HostMemory>());
    checks.push_back(std::make_unique<Disks>());
}

}  // namespace longhaul::health
