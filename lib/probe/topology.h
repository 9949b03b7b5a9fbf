// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What /sys says about GPUs, NICs and NUMA nodes: distances, link widths, port states and rates.

#include <string>
#include <vector>

#include "lib/cluster/sys_devices.h"
#include "lib/io/json_fwd.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

struct Topology {
    std::vector<cluster::NumaNode> numa;
    std::vector<cluster::PciDevice> gpus;  // NVIDIA GPUs
    std::vector<cluster::PciDevice> nics;  // PCI network devices
    std::vector<cluster::RdmaPort> rdma;
    std::vector<cluster::NetInterface> interfaces;
};
Topology read_topology(const cluster::SysTree& tree);

/// How near a GPU and a NIC are, in the words of nvidia-smi topo: "PIX" (one switch), "PXB"
/// (several bridges), "NODE" (same NUMA node), "SYS".
std::string path_kind(const cluster::PciDevice& gpu, const cluster::PciDevice& nic);
/// Index of the nearest NIC; -1 without any.
int nearest_nic(const Topology& topology, const cluster::PciDevice& gpu);
/// "mlx5_0", "eth0", or the PCI address when no name is known.
std::string nic_name(const Topology& topology, const cluster::PciDevice& nic);

std::vector<record::Finding> judge(const Topology& topology);
std::string to_text(const Topology& topology);
io::Json to_json(const Topology& topology);

}  // namespace longhaul::probe
