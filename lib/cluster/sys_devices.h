// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Network ports and PCI devices as /sys shows them: facts only, judged by probe and health.
// @source Linux Documentation/ABI: sysfs-class-infiniband, sysfs-class-net, sysfs-bus-pci

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/cluster/sys_tree.h"

namespace longhaul::cluster {

/// A port of an RDMA device.
struct RdmaPort {
    std::string device;  // "mlx5_0"
    int port = 1;
    std::string link_layer;  // "InfiniBand" or "Ethernet"
    std::string state;       // "ACTIVE", "DOWN", "INIT", ...
    std::string phys_state;  // "LinkUp", "Polling", "Disabled", ...
    double rate_gbit_per_s = 0;
    std::string gid0;  // the first GID
    std::string pci_address;
    int numa_node = -1;
    std::map<std::string, int64_t> counters;  // "symbol_error", "link_downed", hw counters too

    std::string name() const { return device + "/" + std::to_string(port); }
};
std::vector<RdmaPort> read_rdma_ports(const SysTree& tree);

/// A network interface with a device behind it, or a virtual one.
struct NetInterface {
    std::string name;
    bool is_virtual = false;
    std::string state;              // operstate: "up", "down", "unknown"
    int64_t speed_mbit_per_s = -1;  // -1: not known
    int64_t mtu = -1;
    std::string pci_address;
    int numa_node = -1;
    std::map<std::string, int64_t> counters;  // "rx_errors", "carrier_down_count", ...
};
std::vector<NetInterface> read_interfaces(const SysTree& tree);

/// A PCI device. Speeds are in GT/s, widths in lanes; 0 where /sys says nothing.
struct PciDevice {
    std::string address;  // "0000:4e:00.0"
    uint32_t vendor = 0, device = 0, class_code = 0;
    int numa_node = -1;
    double speed_gt_per_s = 0, max_speed_gt_per_s = 0;
    int width = 0, max_width = 0;
    std::string driver;
    std::string path;  // "sys/devices/pci0000:4d/0000:4d:01.0/0000:4e:00.0"

    bool is_nvidia_gpu() const {
        return vendor == 0x10de && (class_code >> 8 == 0x0300 || class_code >> 8 == 0x0302);
    }
    bool is_network() const { return class_code >> 16 == 0x02; }
};
std::vector<PciDevice> read_pci_devices(const SysTree& tree);

/// Bridges between two devices of the PCI tree: the length of both ways to their common ancestor;
/// -1 when they hang on different host bridges.
int pci_distance(const PciDevice& a, const PciDevice& b);

struct NumaNode {
    int id = 0;
    std::string cpus;  // "0-31,64-95"
    int64_t memory_kib = 0;
};
std::vector<NumaNode> read_numa_nodes(const SysTree& tree);

}  // namespace longhaul::cluster
