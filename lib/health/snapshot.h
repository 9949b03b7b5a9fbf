// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Everything that was read of a node, before any judgement. The live readers, a recording
// (gpu-health record, --input) and tests produce the same thing, so checks are pure functions of
// it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/cluster/port_counters.h"
#include "lib/cluster/sys_devices.h"
#include "lib/io/json_fwd.h"

namespace longhaul::health {

/// A number or text from the driver, or the error that came instead.
struct Value {
    int error = 0;  // nvmlReturn_t; 0: there is a value
    std::optional<int64_t> number;
    std::string text;
};
using Values = std::map<std::string, Value>;

/// What became of one group of readings ("gpu.3.ecc").
enum class GroupState { kRead, kFailed, kTimedOut, kCrashed, kNotTried };
const char* group_state_name(GroupState state);
struct Group {
    GroupState state = GroupState::kNotTried;
    std::string why;  // for all but kRead
};

/// One GPU as NVML shows it. Keys of `values`: see gpu_keys.h.
struct Gpu {
    int index = 0;
    Values values;

    /// The number of `key`; nothing when it was not read or the driver refused it.
    std::optional<int64_t> number(const std::string& key) const;
    /// The text of `key`, or "".
    std::string text(const std::string& key) const;
    /// The driver's error for `key`; 0 when there is a value, -1 when it was not read.
    int error(const std::string& key) const;
    /// "GPU 0 0000:4e:00.0": index and the PCI address that the kernel uses.
    std::string subject() const;
};

/// A line of the kernel log that matters (XIDs, lost GPUs, link changes).
struct LogLine {
    int64_t sequence = -1;  // of /dev/kmsg; -1: not known
    int64_t boot_us = -1;   // microseconds since boot; -1: not known
    std::string text;
};

struct KernelLog {
    bool is_read = false;
    std::string why;             // when it is not
    std::string source;          // "/dev/kmsg" or a file
    int64_t last_sequence = -1;  // of all lines, to go on from next time
    int64_t last_boot_us = -1;
    bool has_gap = false;  // lines were overwritten before they were read
    std::vector<LogLine> lines;
};

struct Disk {
    std::string path;
    int64_t total_mib = -1;  // -1: could not be read
    int64_t free_mib = -1;
    int64_t free_inodes = -1;  // -1: the file system has no such limit
    bool is_read_only = false;
    std::string why;
};

struct Memory {
    int64_t total_kib = -1;
    int64_t available_kib = -1;
    int64_t shm_total_kib = -1;  // /dev/shm
    int64_t shm_free_kib = -1;
    int64_t corrupted_kib = 0;  // HardwareCorrupted of /proc/meminfo
};

struct Snapshot {
    std::string host;
    double unix_s = 0;
    std::string boot_id;
    std::map<std::string, Group> groups;
    Values system;  // "driver_version", "nvml_version", "cuda_driver_version", "gpu_count", "init"
    std::string nvml_problem;  // why NVML could not be loaded or started; empty: it runs
    std::vector<Gpu> gpus;
    std::vector<cluster::PciDevice> pci_gpus;  // NVIDIA GPUs of /sys
    std::vector<cluster::RdmaPort> rdma_ports;
    cluster::CounterReading counters;
    KernelLog kernel_log;
    std::vector<Disk> disks;
    Memory memory;

    const Group& group(const std::string& name) const;
};

io::Json to_json(const Snapshot& snapshot);
/// @throws DataError naming `source` and the member that is wrong
Snapshot snapshot_from_json(const io::Json& json, const std::string& source);

}  // namespace longhaul::health
