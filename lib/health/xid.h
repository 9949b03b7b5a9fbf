// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// XIDs: the NVIDIA driver's error messages in the kernel log, and what each number means.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/record/finding.h"

namespace longhaul::health {

/// "NVRM: Xid (PCI:0000:4e:00 GPU-I:05): 94, pid=7194, name=python, Contained: ..."
struct XidEvent {
    std::string pci_address;  // "0000:4e:00", as written
    bool is_mig = false;      // it concerns a MIG instance
    int number = 0;
    int64_t pid = -1;    // -1: not written or '<unknown>'
    std::string name;    // of the process; may be empty
    std::string detail;  // the rest of the line
    int caused_by = 0;   // "caused by previous Xid N"; 0: nothing said
};
/// @return nothing when the line holds no XID.
std::optional<XidEvent> parse_xid(std::string_view line);

/// "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 28 ..."
struct SxidEvent {
    std::string pci_address;
    int number = 0;
    bool is_fatal = false;
    std::string detail;
};
std::optional<SxidEvent> parse_sxid(std::string_view line);

/// The PCI address of a GPU that the driver calls lost without an XID ("fallen off the bus").
std::optional<std::string> parse_lost_gpu(std::string_view line);

struct XidInfo {
    int number;
    record::Status status;  // when it is new since the last run
    std::string_view title;
    std::string_view meaning;
    std::string_view remedy;
};
/// @source NVIDIA XID catalogue (docs.nvidia.com/deploy/xid-errors), immediate actions; the
/// statuses are ours (gpu-health.1, "XID").
std::span<const XidInfo> xid_table();
/// @return nullptr for a number that is not in the table: that is a warning, never ok.
const XidInfo* find_xid(int number);

/// The status of one event: that of its number, changed by what the line says (Fatal or Nonfatal
/// for NVLink 5, the new recovery action for 154).
record::Status status_of(const XidEvent& event);

}  // namespace longhaul::health
