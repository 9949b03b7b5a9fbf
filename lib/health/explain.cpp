// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/explain.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "lib/base/error.h"
#include "lib/config/nearest_word.h"
#include "lib/health/xid.h"

namespace longhaul::health {

namespace {

// clang-format off
constexpr CodeInfo kCodes[] = {
    {"gpu.count", "the number of GPUs is right", ""},
    {"gpu.count.missing", "NVML shows fewer GPUs than are expected or plugged in: one fell off the bus, or its driver did not bind", "look for XID 79 in the kernel log; reboot; reseat or replace the GPU"},
    {"gpu.none", "there is no GPU here and none is expected", "give --expect-gpus on nodes that must have some"},
    {"gpu.driver.hung", "NVML did not start in time: the driver hangs", "look at the kernel log; reboot the node"},
    {"gpu.driver.down", "GPUs are there or expected, but NVML can not be loaded or started", "load or reinstall the driver; reboot after an update"},
    {"gpu.driver.permission", "NVML may not open the GPUs' devices: usually a container or cgroup without /dev/nvidia*", "correct the container or the device cgroup; this is no hardware fault"},
    {"gpu.answer", "every GPU answers", ""},
    {"gpu.unread", "a question to a GPU was not answered in time, or crashed NVML: nothing is known about it", "look at the kernel log; drain and reboot the node"},
    {"gpu.lost", "NVML says that the GPU is lost", "drain and reboot the node; replace the GPU on repetition"},
    {"gpu.reset_required", "NVML says that the GPU must be reset", "drain the node; nvidia-smi --gpu-reset"},
    {"gpu.inforom", "the InfoROM, the GPU's own record of errors, is corrupted", "reflash or replace the GPU"},
    {"gpu.recovery", "the driver asks for a recovery action; it outranks all counters", "do what the evidence says"},
    {"gpu.recovery.unsupported", "drivers before 570 do not tell a recovery action", ""},
    {"gpu.same", "all GPUs are alike", ""},
    {"gpu.same.differs", "GPUs of one node differ in model, firmware or modes", "make them the same"},
    {"gpu.same.model", "a GPU is not of the configured model", "correct [expect] model, or replace the GPU"},
    {"gpu.same.driver", "the driver is not of the configured version", "install the expected driver"},
    {"gpu.ecc", "no uncorrected memory error", ""},
    {"gpu.ecc.uncorrected", "memory errors that could not be corrected since the driver was loaded; results may be wrong", "drain the node and reset the GPU; replace it if they return"},
    {"gpu.ecc.history", "the GPU had uncorrected errors before the driver was loaded", "replace it if they return"},
    {"gpu.ecc.corrected", "more corrected errors an hour than the limit", "watch it; plan a replacement"},
    {"gpu.ecc.off", "ECC is switched off", "nvidia-smi -e 1, then reset"},
    {"gpu.ecc.mode_pending", "the ECC mode changes at the next reset", "reset the GPU or reboot"},
    {"gpu.ecc.unsupported", "no ECC counters can be read", ""},
    {"gpu.remap", "no row waits for replacement", ""},
    {"gpu.remap.pending", "a bad memory row is replaced by a spare one at the next reset; until then it is in use", "drain the node and reset the GPU"},
    {"gpu.remap.failure", "a bad memory row could not be replaced", "replace the GPU"},
    {"gpu.remap.page_pending", "a bad memory page is retired at the next reset (GPUs before Ampere)", "drain the node and reset the GPU"},
    {"gpu.remap.exhausted", "a memory bank has no spare rows left", "plan a replacement"},
    {"gpu.remap.unsupported", "the GPU tells neither remapped rows nor retired pages", ""},
    {"gpu.throttle", "no hardware slowdown", ""},
    {"gpu.throttle.thermal", "the hardware halves the clocks for heat", "check cooling"},
    {"gpu.throttle.power_brake", "an outside signal (power supply) halves the clocks", "check power supplies and cabling"},
    {"gpu.throttle.hardware", "the hardware slows the GPU down", "check power and cooling"},
    {"gpu.throttle.soft_thermal", "the driver lowers the clocks for heat", "check cooling"},
    {"gpu.throttle.unsupported", "the driver does not tell reasons for slow clocks", ""},
    {"gpu.temperature", "all GPUs are cool enough", ""},
    {"gpu.temperature.over", "a GPU is at or above its slowdown temperature", "check cooling"},
    {"gpu.temperature.near", "a GPU is near its slowdown temperature", "check cooling"},
    {"gpu.temperature.unsupported", "the driver tells no temperature", ""},
    {"gpu.pcie", "PCIe links have their full width", ""},
    {"gpu.pcie.width", "a PCIe link has fewer lanes than the card and slot allow", "reseat card, riser or cable"},
    {"gpu.pcie.generation", "a PCIe link is slower than it could be, under load", "reseat card or riser; check BIOS settings"},
    {"gpu.pcie.replays", "a PCIe link repeats packets: it is damaged", "reseat card, riser or cable"},
    {"gpu.pcie.unsupported", "the PCIe link can not be read", ""},
    {"gpu.nvlink", "NVLinks are active", ""},
    {"gpu.nvlink.inactive", "fewer NVLinks are active than configured or usual on this node", "reset all GPUs; check switch, bridge and fabric manager"},
    {"gpu.nvlink.errors", "an NVLink repeats, retrains or damages packets", "watch XID 74; check switch or bridge"},
    {"gpu.fabric", "GPUs have joined the NVSwitch fabric", ""},
    {"gpu.fabric.state", "a GPU has not joined the fabric", "start nvidia-fabricmanager of the driver's version"},
    {"gpu.fabric.status", "joining the fabric failed", "restart nvidia-fabricmanager and reset the GPUs"},
    {"gpu.fabric.health", "the fabric is degraded for this GPU", "look at the switch"},
    {"gpu.fabric.configuration", "the fabric is configured wrongly", "correct the fabric manager's configuration"},
    {"gpu.leftover", "nothing is left of the job before", ""},
    {"gpu.leftover.process", "a process runs on a GPU that no job owns", "kill it; use proctrack/cgroup"},
    {"gpu.leftover.memory", "GPU memory is in use without a process", "reset the GPU"},
    {"xid", "nothing new in the kernel log", ""},
    {"xid.unread", "the kernel log could not be read", "run as root, or give --kernel-log"},
    {"xid.lost", "the driver lost a GPU without an XID", "drain and reboot the node"},
    {"xid.gap", "kernel messages were overwritten before they were read", "a larger log_buf_len"},
    {"node.mce", "the processor reported a hardware error", "read the machine check log"},
    {"node.port", "network ports are fine", ""},
    {"node.port.state", "an RDMA port has a link but is not active", "look at the subnet manager"},
    {"node.port.down", "an RDMA port has no link while its peers do", "check cable, optics and switch port"},
    {"node.port.rate", "an RDMA port is slower than its peers", "reseat or replace cable and optics"},
    {"node.port.unread", "the network ports could not be read in time", "look at the kernel log"},
    {"node.memory", "memory is available", ""},
    {"node.memory.low", "little memory is available", "look for leftover processes and files in /dev/shm"},
    {"node.memory.corrupted", "the kernel took corrupted memory out of use", "replace the DIMM"},
    {"node.memory.unread", "/proc/meminfo could not be read", "look at the kernel log"},
    {"node.disk", "file systems have space", ""},
    {"node.disk.full", "a file system is nearly full", "remove files that jobs left behind"},
    {"node.disk.inodes", "a file system has no inode left", "remove files that jobs left behind"},
    {"node.disk.read_only", "a file system is mounted read-only, usually after a disk error", "drain the node"},
    {"node.disk.missing", "a configured folder does not exist", "mount it, or correct [limits] disks"},
    {"node.disk.unread", "a file system did not answer in time", "look at the file server or disk"},
    {"node.state", "the file with the state of the last run was unusable", ""},
    {"active.memory", "host memory kept a pattern", ""},
    {"active.memory.wrong", "host memory returned other data than was written", "drain the node; test and replace the DIMM"},
    {"active.cpu", "all processors computed the same", ""},
    {"active.cpu.wrong", "a processor computed a wrong result", "drain the node; replace the processor"},
    {"active.disk", "a file kept its data", ""},
    {"active.disk.wrong", "a file returned other data than was written", "drain the node; test the disk"},
    {"active.unfinished", "an active test did not finish in time or crashed", "run it again with a longer --deadline"},
};
// clang-format on

const CodeInfo* find_code(const std::string& code) {
    for (const CodeInfo& info : kCodes) {
        if (info.code == code) return &info;
    }
    return nullptr;
}

/// "79", "xid.79", "XID 79", "Xid79" -> 79; -1 otherwise.
int xid_number(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.rfind("xid", 0) == 0) {
        text.erase(0, 3);
        while (!text.empty() && (text[0] == '.' || text[0] == ' ')) text.erase(0, 1);
    }
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number > 0 ? number : -1;
}

std::string explain_xid(int number) {
    const XidInfo* const info = find_xid(number);
    if (info == nullptr) {
        return format(
            "xid.{}: not in our table\n"
            "status   warn when new in the kernel log\n"
            "to do    look it up in NVIDIA's XID catalogue\n",
            number);
    }
    return format("xid.{}: {}\nmeaning  {}\nstatus   {} when new in the kernel log\nto do    {}\n",
                  number, info->title, info->meaning, record::status_name(info->status),
                  info->remedy);
}

}  // namespace

std::span<const CodeInfo> code_table() {
    return kCodes;
}

std::string explain(const std::string& code) {
    if (const int number = xid_number(code); number > 0) return explain_xid(number);
    const CodeInfo* const info = find_code(code);
    if (info == nullptr) {
        std::vector<std::string> codes;
        for (const CodeInfo& known : kCodes) codes.emplace_back(known.code);
        const std::string near = config::nearest_word(code, codes);
        throw UsageError(
            format("unknown code {}{}", code, near.empty() ? "" : "; did you mean " + near + "?"));
    }
    std::string text = format("{}: {}\n", info->code, info->meaning);
    if (!info->what_to_do.empty()) text += format("to do    {}\n", info->what_to_do);
    return text;
}

}  // namespace longhaul::health
