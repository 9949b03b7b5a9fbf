// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/topology.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/format.h"

namespace longhaul::probe {

namespace {

using cluster::PciDevice;
using cluster::RdmaPort;
using record::Finding;
using record::Status;

constexpr int kOneSwitch = 4;  // up to the switch's upstream port and down again

/// Judged by its peers: an uncabled port is only a fault when its like are cabled.
void judge_ports(const Topology& topology, std::vector<Finding>& findings) {
    std::map<std::string, double> best_rate;  // by link layer
    for (const RdmaPort& port : topology.rdma) {
        if (port.state != "ACTIVE") continue;
        double& best = best_rate[port.link_layer];
        best = std::max(best, port.rate_gbit_per_s);
    }
    for (const RdmaPort& port : topology.rdma) {
        const std::string subject = "port " + port.name();
        const auto best = best_rate.find(port.link_layer);
        if (port.state != "ACTIVE") {
            findings.push_back(
                {best == best_rate.end() ? Status::kNote : Status::kWarn, "topo.port.down", subject,
                 format("state {}, physical state {}", port.state, port.phys_state),
                 "if it should be cabled: check cable, switch port and subnet manager"});
        } else if (port.rate_gbit_per_s < best->second) {
            findings.push_back({Status::kWarn, "topo.port.rate", subject,
                                format("{} Gb/s, the fastest {} port has {} Gb/s",
                                       port.rate_gbit_per_s, port.link_layer, best->second),
                                "a link trained too slow, or a NIC for storage: exclude it with "
                                "NCCL_IB_HCA"});
        }
        const bool is_empty_gid =
            port.gid0.empty() || port.gid0 == "0000:0000:0000:0000:0000:0000:0000:0000";
        if (port.state == "ACTIVE" && is_empty_gid) {
            findings.push_back({Status::kWarn, "topo.port.gid", subject, "GID 0 is empty",
                                "give the interface an address; RoCE needs one"});
        }
    }
}

void judge_link(const PciDevice& device, const std::string& subject, bool is_gpu,
                std::vector<Finding>& findings) {
    if (device.width > 0 && device.width < device.max_width) {
        findings.push_back({Status::kWarn, "topo.pci.width", subject,
                            format("{} PCIe lanes of {}", device.width, device.max_width),
                            "reseat the card or riser; a x16 card in a x8 slot is built so"});
    }
    if (device.speed_gt_per_s > 0 && device.speed_gt_per_s < device.max_speed_gt_per_s) {
        findings.push_back(
            {is_gpu ? Status::kNote : Status::kWarn, "topo.pci.speed", subject,
             format("{} GT/s of {}", device.speed_gt_per_s, device.max_speed_gt_per_s),
             is_gpu ? "usual on an idle GPU: look again under load"
                    : "check slot, riser and BIOS settings"});
    }
}

void judge_mtus(const Topology& topology, std::vector<Finding>& findings) {
    std::map<int64_t, std::set<int64_t>> mtus;  // by speed
    for (const auto& interface : topology.interfaces) {
        if (!interface.is_virtual && interface.state == "up" && interface.speed_mbit_per_s > 0) {
            mtus[interface.speed_mbit_per_s].insert(interface.mtu);
        }
    }
    for (const auto& [speed, values] : mtus) {
        if (values.size() < 2) continue;
        findings.push_back({Status::kWarn, "topo.mtu", format("interfaces at {} Mb/s", speed),
                            format("MTUs differ: {} to {}", *values.begin(), *values.rbegin()),
                            "set one MTU on all ports of a fabric, switches included"});
    }
}

void judge_placement(const Topology& topology, std::vector<Finding>& findings) {
    if (topology.rdma.empty()) return;
    for (const PciDevice& gpu : topology.gpus) {
        const int nearest = nearest_nic(topology, gpu);
        if (nearest < 0 || path_kind(gpu, topology.nics[static_cast<size_t>(nearest)]) != "SYS")
            continue;
        findings.push_back({Status::kNote, "topo.gpu.far", "GPU " + gpu.address,
                            "no NIC on its NUMA node: traffic crosses the processors' link",
                            "use the GPUs near the NICs first, or move the card"});
    }
}

}  // namespace

Topology read_topology(const cluster::SysTree& tree) {
    Topology topology;
    topology.numa = cluster::read_numa_nodes(tree);
    topology.rdma = cluster::read_rdma_ports(tree);
    topology.interfaces = cluster::read_interfaces(tree);
    for (PciDevice& device : cluster::read_pci_devices(tree)) {
        if (device.is_nvidia_gpu()) {
            topology.gpus.push_back(std::move(device));
        } else if (device.is_network()) {
            topology.nics.push_back(std::move(device));
        }
    }
    return topology;
}

std::string path_kind(const PciDevice& gpu, const PciDevice& nic) {
    const int distance = cluster::pci_distance(gpu, nic);
    if (distance >= 0) return distance <= kOneSwitch ? "PIX" : "PXB";
    return gpu.numa_node >= 0 && gpu.numa_node == nic.numa_node ? "NODE" : "SYS";
}

int nearest_nic(const Topology& topology, const PciDevice& gpu) {
    int best = -1;
    int best_cost = 0;
    for (size_t i = 0; i < topology.nics.size(); ++i) {
        const PciDevice& nic = topology.nics[i];
        const int distance = cluster::pci_distance(gpu, nic);
        const int cost = distance >= 0 ? distance : path_kind(gpu, nic) == "NODE" ? 1000 : 2000;
        if (best < 0 || cost < best_cost) {
            best = static_cast<int>(i);
            best_cost = cost;
        }
    }
    return best;
}

std::string nic_name(const Topology& topology, const PciDevice& nic) {
    for (const RdmaPort& port : topology.rdma) {
        if (port.pci_address == nic.address) return port.device;
    }
    for (const auto& interface : topology.interfaces) {
        if (interface.pci_address == nic.address) return interface.name;
    }
    return nic.address;
}

std::vector<Finding> judge(const Topology& topology) {
    std::vector<Finding> findings;
    judge_ports(topology, findings);
    for (const PciDevice& gpu : topology.gpus)
        judge_link(gpu, "GPU " + gpu.address, true, findings);
    for (const PciDevice& nic : topology.nics) {
        judge_link(nic, format("NIC {} ({})", nic.address, nic_name(topology, nic)), false,
                   findings);
    }
    judge_mtus(topology, findings);
    judge_placement(topology, findings);
    const bool is_empty = topology.gpus.empty() && topology.nics.empty() &&
                          topology.interfaces.empty() && topology.rdma.empty();
    if (is_empty) {
        findings.push_back({Status::kUnknown, "topo.nothing", "node",
                            "no device was found: /sys can not be read here", "look at --input"});
    } else if (findings.empty()) {
        findings.push_back(
            {Status::kOk, "topo.even", "node",
             format("{} GPUs, {} RDMA ports, {} PCI network devices", topology.gpus.size(),
                    topology.rdma.size(), topology.nics.size()),
             ""});
    }
    return findings;
}

}  // namespace longhaul::probe
