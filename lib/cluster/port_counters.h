// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Error counters of network ports between two readings. The counters run since boot or reset, so
// only what is new counts; a value below the last one means that the counter was reset.
// @source Linux sysfs-class-infiniband; thresholds: InfiniBand specification 1.4 (symbol errors at
// BER 1e-12), NVIDIA NVSentinel's NIC monitor, and operators' reports (link_downed).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cluster/sys_devices.h"

namespace longhaul::cluster {

/// All counters of all ports at one time. A port is "mlx5_0/1" or an interface's name.
struct CounterReading {
    std::string boot_id;  // counters of another boot are not compared
    double unix_s = 0;
    std::map<std::string, std::map<std::string, int64_t>> ports;
};
CounterReading read_port_counters(const SysTree& tree, double unix_s);

/// What a rise of a counter means.
struct CounterRule {
    std::string_view name;
    double allowed_per_hour = 0;
    bool is_fatal = false;  // the link or its driver broke; else it loses speed
    std::string_view meaning;
    std::string_view remedy;
};

/// A counter that rose faster than its rule allows.
struct CounterRise {
    std::string port;
    const CounterRule* rule = nullptr;
    int64_t rise = 0;
    double seconds = 0;
};
/// Rises above their rules, by port and counter. Readings of two boots: none.
std::vector<CounterRise> rises(const CounterReading& before, const CounterReading& after);

}  // namespace longhaul::cluster
