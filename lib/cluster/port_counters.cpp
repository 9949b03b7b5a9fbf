// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/port_counters.h"

#include <algorithm>

namespace longhaul::cluster {

namespace {

// clang-format off
constexpr CounterRule kRules[] = {
    // name, allowed per hour, fatal
    {"link_downed", 0, true, "the link went down", "replace cable or optics; look at the switch port"},
    {"carrier_down_count", 0, true, "the interface lost its carrier", "replace cable or optics; look at the switch port"},
    {"local_link_integrity_errors", 0, true, "the link's error threshold was exceeded", "replace cable or optics"},
    {"excessive_buffer_overrun_errors", 0, true, "flow control failed on the link", "look at the switch port; update NIC firmware"},
    {"rnr_nak_retry_err", 0, true, "a peer posted no receive buffers in time", "look at the peer's process (hung or starved)"},
    {"symbol_error", 120, false, "bits are lost on the cable", "clean or replace cable and optics"},
    {"link_error_recovery", 300, false, "the link retrains", "clean or replace cable and optics"},
    {"port_rcv_errors", 60, false, "damaged packets arrive", "clean or replace cable and optics"},
    {"port_xmit_discards", 3600, false, "packets are dropped at the port: congestion or a dead peer", "look for a slow receiver; check credits and PFC"},
    {"out_of_sequence", 3600, false, "packets arrive out of order or are lost", "check PFC, ECN and adaptive routing on the path"},
    {"packet_seq_err", 3600, false, "packets are lost on the way", "check PFC, ECN and adaptive routing on the path"},
    {"local_ack_timeout_err", 60, false, "acknowledgements do not arrive", "check the path to the peers for a bad link"},
    {"roce_adp_retrans_to", 60, false, "RoCE retransmits after time-outs", "check PFC and ECN on the path"},
    {"rx_crc_errors", 10, false, "damaged frames arrive", "clean or replace cable and optics"},
    {"rx_errors", 60, false, "frames are received with errors", "clean or replace cable and optics"},
    {"tx_errors", 60, false, "frames can not be sent", "look at the driver's messages in the kernel log"},
};
// clang-format on

const CounterRule* rule_of(const std::string& counter) {
    const auto* const found =
        std::find_if(std::begin(kRules), std::end(kRules),
                     [&](const CounterRule& rule) { return rule.name == counter; });
    return found == std::end(kRules) ? nullptr : found;
}

}  // namespace

CounterReading read_port_counters(const SysTree& tree, double unix_s) {
    CounterReading reading;
    reading.boot_id = tree.read("proc/sys/kernel/random/boot_id").value_or("");
    reading.unix_s = unix_s;
    for (const RdmaPort& port : read_rdma_ports(tree)) reading.ports[port.name()] = port.counters;
    for (const NetInterface& interface : read_interfaces(tree)) {
        if (!interface.is_virtual) reading.ports[interface.name] = interface.counters;
    }
    return reading;
}

std::vector<CounterRise> rises(const CounterReading& before, const CounterReading& after) {
    std::vector<CounterRise> found;
    if (before.boot_id != after.boot_id) return found;
    const double seconds = std::max(after.unix_s - before.unix_s, 1e-3);
    for (const auto& [port, counters] : after.ports) {
        const auto old = before.ports.find(port);
        if (old == before.ports.end()) continue;
        for (const auto& [counter, value] : counters) {
            const CounterRule* const rule = rule_of(counter);
            const auto last = old->second.find(counter);
            if (rule == nullptr || last == old->second.end()) continue;
            const int64_t rise = value < last->second ? value : value - last->second;
            // At least one event's worth of time, so that a single error in a short interval is
            // not projected to a flood.
            const double hours = std::max(seconds, 60.0) / 3600;
            if (static_cast<double>(rise) > rule->allowed_per_hour * hours) {
                found.push_back({port, rule, rise, seconds});
            }
        }
    }
    return found;
}

}  // namespace longhaul::cluster
