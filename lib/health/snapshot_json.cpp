// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"
#include "lib/health/snapshot.h"
#include "lib/io/json.h"

namespace longhaul::health {

namespace {

using cluster::PciDevice;
using cluster::RdmaPort;
using io::Json;

constexpr size_t kMaxGpus = 1024;

/// A number or a text; {"error": 15} when the driver gave none.
Json value_to_json(const Value& value) {
    if (value.error != 0) return Json{{"error", value.error}};
    if (value.number) return *value.number;
    return value.text;
}

Value value_from_json(const Json& json, const std::string& place) {
    Value value;
    if (json.is_object()) {
        value.error = io::require<int>(json, "error", place);
    } else if (json.is_number_integer()) {
        value.number = json.get<int64_t>();
    } else if (json.is_string()) {
        value.text = json.get<std::string>();
    } else {
        throw DataError(format("{}: neither a whole number, a text nor an error", place));
    }
    return value;
}

Json values_to_json(const Values& values) {
    Json json = Json::object();
    for (const auto& [key, value] : values) json[key] = value_to_json(value);
    return json;
}

Values values_from_json(const Json& json, const std::string& place) {
    if (!json.is_object()) throw DataError(format("{}: no object", place));
    Values values;
    for (const auto& [key, value] : json.items()) {
        values[key] = value_from_json(value, format("{}.{}", place, key));
    }
    return values;
}

/// The member as T, or `fallback` when it is absent.
template <class T>
T get(const Json& json, const char* key, T fallback, const std::string& place) {
    return json.contains(key) ? io::require<T>(json, key, place) : fallback;
}

Json array(const Json& json, const char* key, const std::string& place) {
    Json list = get<Json>(json, key, Json::array(), place);
    if (!list.is_array()) throw DataError(format("{}: \"{}\" is no array", place, key));
    return list;
}

Json pci_to_json(const PciDevice& device) {
    return Json{{"address", device.address},
                {"vendor", device.vendor},
                {"device", device.device},
                {"class", device.class_code},
                {"numa_node", device.numa_node},
                {"width", device.width},
                {"max_width", device.max_width},
                {"speed_gt_per_s", device.speed_gt_per_s},
                {"max_speed_gt_per_s", device.max_speed_gt_per_s},
                {"driver", device.driver}};
}

PciDevice pci_from_json(const Json& json, const std::string& place) {
    PciDevice device;
    device.address = io::require<std::string>(json, "address", place);
    device.vendor = get(json, "vendor", 0x10deu, place);
    device.device = get(json, "device", 0u, place);
    device.class_code = get(json, "class", 0x030200u, place);
    device.numa_node = get(json, "numa_node", -1, place);
    device.width = get(json, "width", 0, place);
    device.max_width = get(json, "max_width", 0, place);
    device.speed_gt_per_s = get(json, "speed_gt_per_s", 0.0, place);
    device.max_speed_gt_per_s = get(json, "max_speed_gt_per_s", 0.0, place);
    device.driver = get<std::string>(json, "driver", "", place);
    return device;
}

Json port_to_json(const RdmaPort& port) {
    return Json{{"device", port.device},
                {"port", port.port},
                {"link_layer", port.link_layer},
                {"state", port.state},
                {"phys_state", port.phys_state},
                {"rate_gbit_per_s", port.rate_gbit_per_s},
                {"gid0", port.gid0},
                {"pci_address", port.pci_address}};
}

RdmaPort port_from_json(const Json& json, const std::string& place) {
    RdmaPort port;
    port.device = io::require<std::string>(json, "device", place);
    port.port = get(json, "port", 1, place);
    port.link_layer = get<std::string>(json, "link_layer", "", place);
    port.state = get<std::string>(json, "state", "", place);
    port.phys_state = get<std::string>(json, "phys_state", "", place);
    port.rate_gbit_per_s = get(json, "rate_gbit_per_s", 0.0, place);
    port.gid0 = get<std::string>(json, "gid0", "", place);
    port.pci_address = get<std::string>(json, "pci_address", "", place);
    return port;
}

Json log_to_json(const KernelLog& log) {
    Json lines = Json::array();
    for (const LogLine& line : log.lines) {
        lines.push_back(
            {{"sequence", line.sequence}, {"boot_us", line.boot_us}, {"text", line.text}});
    }
    return Json{{"read", log.is_read},
                {"why", log.why},
                {"source", log.source},
                {"last_sequence", log.last_sequence},
                {"last_boot_us", log.last_boot_us},
                {"gap", log.has_gap},
                {"lines", std::move(lines)}};
}

KernelLog log_from_json(const Json& json, const std::string& place) {
    KernelLog log;
    log.is_read = get(json, "read", false, place);
    log.why = get<std::string>(json, "why", "", place);
    log.source = get<std::string>(json, "source", "", place);
    log.last_sequence = get<int64_t>(json, "last_sequence", -1, place);
    log.last_boot_us = get<int64_t>(json, "last_boot_us", -1, place);
    log.has_gap = get(json, "gap", false, place);
    for (const Json& entry : array(json, "lines", place)) {
        log.lines.push_back({get<int64_t>(entry, "sequence", -1, place),
                             get<int64_t>(entry, "boot_us", -1, place),
                             io::require<std::string>(entry, "text", place)});
    }
    return log;
}

Json disk_to_json(const Disk& disk) {
    return Json{{"path", disk.path},
                {"total_mib", disk.total_mib},
                {"free_mib", disk.free_mib},
                {"free_inodes", disk.free_inodes},
                {"read_only", disk.is_read_only},
                {"why", disk.why}};
}

Disk disk_from_json(const Json& json, const std::string& place) {
    Disk disk;
    disk.path = io::require<std::string>(json, "path", place);
    disk.total_mib = get<int64_t>(json, "total_mib", -1, place);
    disk.free_mib = get<int64_t>(json, "free_mib", -1, place);
    disk.free_inodes = get<int64_t>(json, "free_inodes", -1, place);
    disk.is_read_only = get(json, "read_only", false, place);
    disk.why = get<std::string>(json, "why", "", place);
    return disk;
}

Json memory_to_json(const Memory& memory) {
    return Json{{"total_kib", memory.total_kib},
                {"available_kib", memory.available_kib},
                {"shm_total_kib", memory.shm_total_kib},
                {"shm_free_kib", memory.shm_free_kib},
                {"corrupted_kib", memory.corrupted_kib}};
}

Memory memory_from_json(const Json& json, const std::string& place) {
    Memory memory;
    memory.total_kib = get<int64_t>(json, "total_kib", -1, place);
    memory.available_kib = get<int64_t>(json, "available_kib", -1, place);
    memory.shm_total_kib = get<int64_t>(json, "shm_total_kib", -1, place);
    memory.shm_free_kib = get<int64_t>(json, "shm_free_kib", -1, place);
    memory.corrupted_kib = get<int64_t>(json, "corrupted_kib", 0, place);
    return memory;
}

Json groups_to_json(const std::map<std::string, Group>& groups) {
    Json json = Json::object();
    for (const auto& [name, group] : groups) {
        json[name] = Json{{"state", group_state_name(group.state)}};
        if (!group.why.empty()) json[name]["why"] = group.why;
    }
    return json;
}

std::map<std::string, Group> groups_from_json(const Json& json, const std::string& place) {
    if (!json.is_object()) throw DataError(format("{}: no object", place));
    std::map<std::string, Group> groups;
    for (const auto& [name, entry] : json.items()) {
        const auto state = io::require<std::string>(entry, "state", place + "." + name);
        Group& group = groups[name];
        for (const GroupState candidate : {GroupState::kRead, GroupState::kFailed,
                                           GroupState::kTimedOut, GroupState::kCrashed}) {
            if (state == group_state_name(candidate)) group.state = candidate;
        }
        group.why = get<std::string>(entry, "why", "", place + "." + name);
    }
    return groups;
}

void read_lists(const Json& json, const std::string& source, Snapshot& snapshot) {
    const Json gpus = array(json, "gpus", source);
    if (gpus.size() > kMaxGpus)
        throw DataError(format("{}: {} GPUs are too many", source, gpus.size()));
    for (size_t i = 0; i < gpus.size(); ++i) {
        const std::string place = format("{}: gpus[{}]", source, i);
        snapshot.gpus.push_back({static_cast<int>(i), values_from_json(gpus[i], place)});
    }
    for (const Json& entry : array(json, "pci_gpus", source)) {
        snapshot.pci_gpus.push_back(pci_from_json(entry, source + ": pci_gpus"));
    }
    for (const Json& entry : array(json, "rdma_ports", source)) {
        snapshot.rdma_ports.push_back(port_from_json(entry, source + ": rdma_ports"));
    }
    for (const Json& entry : array(json, "disks", source)) {
        snapshot.disks.push_back(disk_from_json(entry, source + ": disks"));
    }
}

}  // namespace

Json to_json(const Snapshot& snapshot) {
    Json gpus = Json::array(), pci = Json::array(), ports = Json::array(), disks = Json::array();
    for (const Gpu& gpu : snapshot.gpus) gpus.push_back(values_to_json(gpu.values));
    for (const PciDevice& device : snapshot.pci_gpus) pci.push_back(pci_to_json(device));
    for (const RdmaPort& port : snapshot.rdma_ports) ports.push_back(port_to_json(port));
    for (const Disk& disk : snapshot.disks) disks.push_back(disk_to_json(disk));
    return Json{{"schema", 1},
                {"kind", "gpu-health recording"},
                {"host", snapshot.host},
                {"unix_s", snapshot.unix_s},
                {"boot_id", snapshot.boot_id},
                {"groups", groups_to_json(snapshot.groups)},
                {"system", values_to_json(snapshot.system)},
                {"nvml_problem", snapshot.nvml_problem},
                {"gpus", std::move(gpus)},
                {"pci_gpus", std::move(pci)},
                {"rdma_ports", std::move(ports)},
                {"port_counters", snapshot.counters.ports},
                {"kernel_log", log_to_json(snapshot.kernel_log)},
                {"disks", std::move(disks)},
                {"memory", memory_to_json(snapshot.memory)}};
}

Snapshot snapshot_from_json(const Json& json, const std::string& source) {
    Snapshot snapshot;
    if (get<std::string>(json, "kind", "", source) != "gpu-health recording") {
        throw DataError(format("{}: no recording of gpu-health record", source));
    }
    if (io::require<int>(json, "schema", source) > 1) {
        throw DataError(format("{}: written by a newer gpu-health", source));
    }
    snapshot.host = get<std::string>(json, "host", "", source);
    snapshot.unix_s = get(json, "unix_s", 0.0, source);
    snapshot.boot_id = get<std::string>(json, "boot_id", "", source);
    snapshot.groups =
        groups_from_json(get<Json>(json, "groups", Json::object(), source), source + ": groups");
    snapshot.system =
        values_from_json(get<Json>(json, "system", Json::object(), source), source + ": system");
    snapshot.nvml_problem = get<std::string>(json, "nvml_problem", "", source);
    read_lists(json, source, snapshot);
    snapshot.counters.boot_id = snapshot.boot_id;
    snapshot.counters.unix_s = snapshot.unix_s;
    snapshot.counters.ports =
        get<decltype(snapshot.counters.ports)>(json, "port_counters", {}, source);
    snapshot.kernel_log = log_from_json(get<Json>(json, "kernel_log", Json::object(), source),
                                        source + ": kernel_log");
    snapshot.memory =
        memory_from_json(get<Json>(json, "memory", Json::object(), source), source + ": memory");
    return snapshot;
}

}  // namespace longhaul::health
