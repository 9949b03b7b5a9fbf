// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/sys_devices.h"

#include <algorithm>
#include <cstdlib>

namespace longhaul::cluster {

namespace {

/// "4: ACTIVE" -> "ACTIVE".
std::string after_colon(const std::string& text) {
    const size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2);
}

/// "400 Gb/sec (4X NDR)" or "32.0 GT/s PCIe": the number in front.
double leading_number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

std::map<std::string, int64_t> read_counters(const SysTree& tree, const std::string& folder) {
    std::map<std::string, int64_t> counters;
    for (const std::string& name : tree.list(folder)) {
        if (const auto value = tree.read_number(folder + "/" + name)) counters[name] = *value;
    }
    return counters;
}

int read_numa(const SysTree& tree, const std::string& device) {
    return static_cast<int>(tree.read_number(device + "/numa_node").value_or(-1));
}

RdmaPort read_port(const SysTree& tree, const std::string& device, const std::string& port) {
    const std::string base = "sys/class/infiniband/" + device;
    const std::string folder = base + "/ports/" + port;
    RdmaPort result;
    result.device = device;
    result.port = std::atoi(port.c_str());
    result.link_layer = tree.read(folder + "/link_layer").value_or("");
    result.state = after_colon(tree.read(folder + "/state").value_or(""));
    result.phys_state = after_colon(tree.read(folder + "/phys_state").value_or(""));
    result.rate_gbit_per_s = leading_number(tree.read(folder + "/rate").value_or(""));
    result.gid0 = tree.read(folder + "/gids/0").value_or("");
    result.pci_address = tree.link_name(base + "/device");
    result.numa_node = read_numa(tree, base + "/device");
    result.counters = read_counters(tree, folder + "/counters");
    for (const auto& [name, value] : read_counters(tree, folder + "/hw_counters")) {
        result.counters[name] = value;
    }
    return result;
}

uint32_t read_hex(const SysTree& tree, const std::string& path) {
    return static_cast<uint32_t>(tree.read_number(path).value_or(0));
}

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < path.size();) {
        const size_t slash = std::min(path.find('/', at), path.size());
        parts.push_back(path.substr(at, slash - at));
        at = slash + 1;
    }
    return parts;
}

}  // namespace

std::vector<RdmaPort> read_rdma_ports(const SysTree& tree) {
    std::vector<RdmaPort> ports;
    for (const std::string& device : tree.list("sys/class/infiniband")) {
        for (const std::string& port : tree.list("sys/class/infiniband/" + device + "/ports")) {
            ports.push_back(read_port(tree, device, port));
        }
    }
    return ports;
}

std::vector<NetInterface> read_interfaces(const SysTree& tree) {
    std::vector<NetInterface> interfaces;
    for (const std::string& name : tree.list("sys/class/net")) {
        const std::string folder = "sys/class/net/" + name;
        if (!tree.exists(folder + "/mtu")) continue;  // "bonding_masters" is a file
        NetInterface result;
        result.name = name;
        result.is_virtual = !tree.exists(folder + "/device");
        result.state = tree.read(folder + "/operstate").value_or("");
        result.speed_mbit_per_s = tree.read_number(folder + "/speed").value_or(-1);
        result.mtu = tree.read_number(folder + "/mtu").value_or(-1);
        result.pci_address = tree.link_name(folder + "/device");
        result.numa_node = read_numa(tree, folder + "/device");
        result.counters = read_counters(tree, folder + "/statistics");
        if (const auto downs = tree.read_number(folder + "/carrier_down_count")) {
            result.counters["carrier_down_count"] = *downs;
        }
        interfaces.push_back(std::move(result));
    }
    return interfaces;
}

std::vector<PciDevice> read_pci_devices(const SysTree& tree) {
    std::vector<PciDevice> devices;
    for (const std::string& address : tree.list("sys/bus/pci/devices")) {
        const std::string folder = "sys/bus/pci/devices/" + address;
        PciDevice result;
        result.address = address;
        result.vendor = read_hex(tree, folder + "/vendor");
        result.device = read_hex(tree, folder + "/device");
        result.class_code = read_hex(tree, folder + "/class");
        result.numa_node = read_numa(tree, folder);
        result.speed_gt_per_s =
            leading_number(tree.read(folder + "/current_link_speed").value_or(""));
        result.max_speed_gt_per_s =
            leading_number(tree.read(folder + "/max_link_speed").value_or(""));
        result.width =
            static_cast<int>(tree.read_number(folder + "/current_link_width").value_or(0));
        result.max_width =
            static_cast<int>(tree.read_number(folder + "/max_link_width").value_or(0));
        result.driver = tree.link_name(folder + "/driver");
        result.path = tree.resolve(folder);
        devices.push_back(std::move(result));
    }
    return devices;
}

int pci_distance(const PciDevice& a, const PciDevice& b) {
    const std::vector<std::string> first = parts_of(a.path);
    const std::vector<std::string> second = parts_of(b.path);
    size_t common = 0;
    while (common < first.size() && common < second.size() && first[common] == second[common]) {
        ++common;
    }
    constexpr size_t kDownToHostBridge = 3;  // "sys", "devices", "pci0000:00"
    if (common < kDownToHostBridge) return -1;
    return static_cast<int>(first.size() + second.size() - 2 * common);
}

std::vector<NumaNode> read_numa_nodes(const SysTree& tree) {
    std::vector<NumaNode> nodes;
    const std::string base = "sys/devices/system/node";
    for (const std::string& name : tree.list(base)) {
        if (name.rfind("node", 0) != 0 || !tree.exists(base + "/" + name + "/cpulist")) continue;
        NumaNode node;
        node.id = std::atoi(name.c_str() + 4);
        node.cpus = tree.read(base + "/" + name + "/cpulist").value_or("");
        const std::string memory = tree.read(base + "/" + name + "/meminfo").value_or("");
        const size_t total = memory.find("MemTotal:");
        if (total != std::string::npos) {
            node.memory_kib = std::strtoll(memory.c_str() + total + 9, nullptr, 10);
        }
        nodes.push_back(node);
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const NumaNode& x, const NumaNode& y) { return x.id < y.id; });
    return nodes;
}

}  // namespace longhaul::cluster
