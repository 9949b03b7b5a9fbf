// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names of what is read of a GPU: the members of a recording and the arguments of Gpu::number().

namespace longhaul::health::key {

// group "identity"
inline constexpr char kName[] = "name", kUuid[] = "uuid", kSerial[] = "serial";
inline constexpr char kVbios[] = "vbios_version", kBusId[] = "bus_id", kMinor[] = "minor_number";
inline constexpr char kPersistence[] = "persistence_mode", kMig[] = "mig_mode";
inline constexpr char kMigPending[] = "mig_mode_pending", kComputeMode[] = "compute_mode";
// group "recovery"
inline constexpr char kRecoveryAction[] = "recovery_action";
// group "ecc"
inline constexpr char kEccMode[] = "ecc_mode", kEccModePending[] = "ecc_mode_pending";
inline constexpr char kEccVolatileCorrected[] = "ecc_volatile_corrected";
inline constexpr char kEccVolatileUncorrected[] = "ecc_volatile_uncorrected";
inline constexpr char kEccAggregateCorrected[] = "ecc_aggregate_corrected";
inline constexpr char kEccAggregateUncorrected[] = "ecc_aggregate_uncorrected";
// group "remap"
inline constexpr char kRemapCorrectable[] = "remapped_correctable";
inline constexpr char kRemapUncorrectable[] = "remapped_uncorrectable";
inline constexpr char kRemapPending[] = "remap_pending", kRemapFailure[] = "remap_failure";
inline constexpr char kRemapBanksNone[] = "remap_banks_without_spares";
inline constexpr char kRetiredPending[] = "retired_pages_pending";
// group "clocks"
inline constexpr char kClocksEvent[] = "clocks_event_reasons";
inline constexpr char kTemperature[] = "temperature_c";
inline constexpr char kSlowdownTemperature[] = "slowdown_temperature_c";
inline constexpr char kPerformanceState[] = "performance_state";
inline constexpr char kPower[] = "power_mw", kPowerLimit[] = "power_limit_mw";
inline constexpr char kUtilization[] = "utilization_percent";
// group "pcie"
inline constexpr char kPcieGeneration[] = "pcie_generation", kPcieWidth[] = "pcie_width";
inline constexpr char kMaxPcieGeneration[] = "max_pcie_generation";
inline constexpr char kMaxPcieWidth[] = "max_pcie_width", kPcieReplays[] = "pcie_replays";
// group "nvlink"; kNvlinkActive counts the links whose state is active
inline constexpr char kNvlinkCount[] = "nvlink_links", kNvlinkActive[] = "nvlink_active";
inline constexpr char kNvlinkErrors[] = "nvlink_errors";  // replay + recovery + CRC, all links
inline constexpr char kFabricState[] = "fabric_state", kFabricStatus[] = "fabric_status";
inline constexpr char kFabricHealth[] = "fabric_health_mask";
// group "use"
inline constexpr char kMemoryTotal[] = "memory_total_mib", kMemoryUsed[] = "memory_used_mib";
inline constexpr char kProcesses[] = "num_compute_processes";
inline constexpr char kProcessIds[] = "compute_pids";  // text: "123 456"

}  // namespace longhaul::health::key
