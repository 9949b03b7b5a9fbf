// SPDX-License-Identifier: BSD-3-Clause
// The kernel log since the last run: XIDs, NVSwitch errors, lost GPUs, machine checks.
#include <algorithm>
#include <map>

#include "lib/base/format.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"
#include "lib/health/xid.h"

namespace longhaul::health {

namespace {

using record::Status;

/// "0000:4e:00" of a log against "00000000:4E:00.0" of NVML.
std::string gpu_at(const World& world, const std::string& address) {
    std::string wanted = address;
    for (const Gpu& gpu : world.now.gpus) {
        std::string bus_id = gpu.text(key::kBusId);
        std::transform(bus_id.begin(), bus_id.end(), bus_id.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (bus_id.find(wanted) != std::string::npos) return gpu.subject();
    }
    return "GPU at " + address;
}

class KernelMessages : public Check {
 public:
    std::string_view key() const override { return "xid"; }
    std::string_view description() const override {
        return "no XID or other hardware message in the kernel log since the last run";
    }
    std::string filter(const World& world) const override {
        const bool is_user = world.context == Context::kJob && !world.now.kernel_log.is_read;
        if (is_user) return "a job may not read the kernel log: " + world.now.kernel_log.why;
        const bool has_nothing = world.now.pci_gpus.empty() && !has_gpus(world) &&
                                 world.now.kernel_log.lines.empty() && world.policy.gpus <= 0;
        return has_nothing ? "no GPU here" : "";
    }

    void run(const World& world, Findings& findings) const override {
        const KernelLog& log = world.now.kernel_log;
        if (!log.is_read) {
            const Group& group = world.now.group("kernel log");
            findings.push_back({Status::kUnknown, "xid.unread", "kernel log",
                                log.why.empty() ? group.why : log.why,
                                "run as root, or give --kernel-log"});
            return;
        }
        const size_t before = findings.size();
        size_t num_new = 0;
        Collected collected;
        for (const LogLine& line : log.lines) {
            if (!world.before.is_new(line, world.now.boot_id)) continue;
            ++num_new;
            collect(world, line.text, collected);
        }
        for (auto& [id, entry] : collected) findings.push_back(finish(entry));
        if (log.has_gap) {
            findings.push_back({Status::kNote, "xid.gap", log.source,
                                "older lines were overwritten before they could be read",
                                "a larger log_buf_len, or run more often"});
        }
        if (findings.size() == before) {
            findings.push_back(
                {Status::kOk, "xid", log.source,
                 num_new == 0 ? "nothing new" : format("{} new lines, harmless", num_new), ""});
        }
    }

 private:
    struct Entry {
        record::Finding finding;
        size_t count = 0;
    };
    using Collected = std::map<std::pair<std::string, std::string>, Entry>;  // code, subject

    static void add(record::Finding finding, Collected& collected) {
        Entry& entry = collected[{finding.code, finding.subject}];
        // The worst of several lines with the same number speaks for them.
        if (entry.count++ == 0 || finding.status == Status::kFail)
            entry.finding = std::move(finding);
    }

    static record::Finding finish(Entry& entry) {
        if (entry.count > 1) entry.finding.evidence += format(" ({} lines)", entry.count);
        return entry.finding;
    }

    static void collect(const World& world, const std::string& text, Collected& collected) {
        if (const auto event = parse_xid(text)) {
            const XidInfo* const info = find_xid(event->number);
            const Status status = status_of(*event);
            if (status == Status::kOk) return;
            std::string evidence = info == nullptr ? "unknown XID" : std::string(info->title);
            if (event->pid >= 0) evidence += format(", pid {} {}", event->pid, event->name);
            if (event->is_mig) evidence += ", MIG instance";
            if (!event->detail.empty()) evidence += ": " + event->detail;
            add({status, format("xid.{}", event->number), gpu_at(world, event->pci_address),
                 evidence,
                 info == nullptr ? "look it up in NVIDIA's XID catalogue"
                                 : std::string(info->remedy)},
                collected);
        } else if (const auto switch_event = parse_sxid(text)) {
            add({switch_event->is_fatal ? Status::kFail : Status::kWarn,
                 format("sxid.{}", switch_event->number),
                 "NVSwitch at " + switch_event->pci_address, switch_event->detail,
                 switch_event->is_fatal ? "drain the node; reset switches and GPUs"
                                        : "watch for repetition"},
                collected);
        } else if (const auto address = parse_lost_gpu(text)) {
            add({Status::kFail, "xid.lost", gpu_at(world, *address),
                 "the driver lost the GPU: " + text,
                 "drain and reboot the node; replace the GPU on repetition"},
                collected);
        } else if (text.find("Hardware Error") != std::string::npos ||
                   text.find("Machine check") != std::string::npos) {
            add({Status::kWarn, "node.mce", "processor or memory", text,
                 "read the machine check log (rasdaemon, mcelog)"},
                collected);
        }
    }
};

}  // namespace

void add_log_checks(Checks& checks) {
    checks.push_back(std::make_unique<KernelMessages>());
}

}  // namespace longhaul::health
