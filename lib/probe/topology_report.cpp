// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/format.h"
#include "lib/base/units.h"
#include "lib/io/json.h"
#include "lib/probe/topology.h"

namespace longhaul::probe {

namespace {

using cluster::PciDevice;

std::string link_text(const PciDevice& device) {
    if (device.width == 0 && device.speed_gt_per_s == 0) return "link unknown";
    return format("x{}/{} {}/{} GT/s", device.width, device.max_width, device.speed_gt_per_s,
                  device.max_speed_gt_per_s);
}

io::Json pci_json(const PciDevice& device) {
    return io::Json{{"pci_address", device.address},
                    {"vendor", format("{:04x}", device.vendor)},
                    {"device", format("{:04x}", device.device)},
                    {"numa_node", device.numa_node},
                    {"driver", device.driver},
                    {"width_lanes", device.width},
                    {"max_width_lanes", device.max_width},
                    {"speed_gt_per_s", device.speed_gt_per_s},
                    {"max_speed_gt_per_s", device.max_speed_gt_per_s}};
}

io::Json gpus_json(const Topology& topology) {
    io::Json list = io::Json::array();
    for (const PciDevice& gpu : topology.gpus) {
        io::Json entry = pci_json(gpu);
        io::Json paths = io::Json::object();
        for (const PciDevice& nic : topology.nics) {
            paths[nic_name(topology, nic)] = path_kind(gpu, nic);
        }
        entry["paths"] = std::move(paths);
        const int nearest = nearest_nic(topology, gpu);
        if (nearest >= 0) {
            entry["nearest_nic"] = nic_name(topology, topology.nics[static_cast<size_t>(nearest)]);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

std::string to_text(const Topology& topology) {
    std::string text;
    for (const auto& node : topology.numa) {
        text += format("NUMA {}  CPUs {}  memory {}\n", node.id, node.cpus,
                       human_bytes(static_cast<uint64_t>(node.memory_kib) * 1024));
    }
    for (const PciDevice& gpu : topology.gpus) {
        const int nearest = nearest_nic(topology, gpu);
        const std::string near =
            nearest < 0
                ? "none"
                : format("{} ({})", nic_name(topology, topology.nics[static_cast<size_t>(nearest)]),
                         path_kind(gpu, topology.nics[static_cast<size_t>(nearest)]));
        text +=
            format("GPU {}  NUMA {}  {}  driver {}  nearest NIC {}\n", gpu.address, gpu.numa_node,
                   link_text(gpu), gpu.driver.empty() ? "none" : gpu.driver, near);
    }
    for (const PciDevice& nic : topology.nics) {
        text += format("NIC {}  {}  NUMA {}  {}  driver {}\n", nic.address, nic_name(topology, nic),
                       nic.numa_node, link_text(nic), nic.driver.empty() ? "none" : nic.driver);
    }
    for (const auto& port : topology.rdma) {
        text += format("RDMA {}  {}  {}/{}  {} Gb/s  GID {}\n", port.name(), port.link_layer,
                       port.state, port.phys_state, port.rate_gbit_per_s,
                       port.gid0.empty() ? "none" : port.gid0);
    }
    for (const auto& interface : topology.interfaces) {
        text += format(
            "net {}{}  {}  MTU {}{}\n", interface.name, interface.is_virtual ? " (virtual)" : "",
            interface.state, interface.mtu,
            interface.speed_mbit_per_s > 0 ? format("  {} Mb/s", interface.speed_mbit_per_s) : "");
    }
    return text;
}

io::Json to_json(const Topology& topology) {
    io::Json numa = io::Json::array(), nics = io::Json::array();
    io::Json ports = io::Json::array(), interfaces = io::Json::array();
    for (const auto& node : topology.numa) {
        numa.push_back({{"id", node.id}, {"cpus", node.cpus}, {"memory_kib", node.memory_kib}});
    }
    for (const PciDevice& nic : topology.nics) {
        nics.push_back(pci_json(nic));
        nics.back()["name"] = nic_name(topology, nic);
    }
    for (const auto& port : topology.rdma) {
        ports.push_back({{"name", port.name()},
                         {"link_layer", port.link_layer},
                         {"state", port.state},
                         {"phys_state", port.phys_state},
                         {"rate_gbit_per_s", port.rate_gbit_per_s},
                         {"gid0", port.gid0},
                         {"pci_address", port.pci_address},
                         {"numa_node", port.numa_node}});
    }
    for (const auto& interface : topology.interfaces) {
        interfaces.push_back({{"name", interface.name},
                              {"virtual", interface.is_virtual},
                              {"state", interface.state},
                              {"speed_mbit_per_s", interface.speed_mbit_per_s},
                              {"mtu_bytes", interface.mtu},
                              {"pci_address", interface.pci_address},
                              {"numa_node", interface.numa_node}});
    }
    return io::Json{{"numa", std::move(numa)},
                    {"gpus", gpus_json(topology)},
                    {"nics", std::move(nics)},
                    {"rdma_ports", std::move(ports)},
                    {"interfaces", std::move(interfaces)}};
}

}  // namespace longhaul::probe
