// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// NVML, loaded at run time from the driver's libnvidia-ml.so.1: never linked, so that one binary
// serves nodes with and without a driver. A node without it is a fact, not an error.

#include <string>

#include "lib/gpu/nvml_abi.h"
#include "lib/gpu/shared_library.h"

// X(member, symbol, fallback symbol or nullptr, parameters)
// A member is null when the library has neither symbol: call it through Nvml::call().
// NOLINTBEGIN(cppcoreguidelines-macro-usage): one list makes the members and their loading.
#define LH_NVML_FUNCTIONS(X)                                                                       \
    X(init, "nvmlInit_v2", nullptr, ())                                                            \
    X(init_with_flags, "nvmlInitWithFlags", nullptr, (uint32_t flags))                             \
    X(shutdown, "nvmlShutdown", nullptr, ())                                                       \
    X(driver_version, "nvmlSystemGetDriverVersion", nullptr, (char* text, uint32_t size))          \
    X(nvml_version, "nvmlSystemGetNVMLVersion", nullptr, (char* text, uint32_t size))              \
    X(cuda_driver_version, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion",  \
      (int32_t * version))                                                                         \
    X(device_count, "nvmlDeviceGetCount_v2", nullptr, (uint32_t * count))                          \
    X(device_by_index, "nvmlDeviceGetHandleByIndex_v2", nullptr,                                   \
      (uint32_t index, Device * device))                                                           \
    X(device_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", nullptr,                           \
      (const char* bus_id, Device* device))                                                        \
    X(name, "nvmlDeviceGetName", nullptr, (Device device, char* text, uint32_t size))              \
    X(uuid, "nvmlDeviceGetUUID", nullptr, (Device device, char* text, uint32_t size))              \
    X(serial, "nvmlDeviceGetSerial", nullptr, (Device device, char* text, uint32_t size))          \
    X(vbios_version, "nvmlDeviceGetVbiosVersion", nullptr,                                         \
      (Device device, char* text, uint32_t size))                                                  \
    X(minor_number, "nvmlDeviceGetMinorNumber", nullptr, (Device device, uint32_t * minor))        \
    X(pci_info, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2",                              \
      (Device device, PciInfo * info))                                                             \
    X(ecc_mode, "nvmlDeviceGetEccMode", nullptr,                                                   \
      (Device device, EnableState * current, EnableState * pending))                               \
    X(total_ecc_errors, "nvmlDeviceGetTotalEccErrors", nullptr,                                    \
      (Device device, EccError error, EccCounter counter, uint64_t * count))                       \
    X(memory_error_counter, "nvmlDeviceGetMemoryErrorCounter", nullptr,                            \
      (Device device, EccError error, EccCounter counter, MemoryLocation location,                 \
       uint64_t * count))                                                                          \
    X(remapped_rows, "nvmlDeviceGetRemappedRows", nullptr,                                         \
      (Device device, uint32_t * correctable, uint32_t * uncorrectable, uint32_t * is_pending,     \
       uint32_t * failure_occurred))                                                               \
    X(row_remapper_histogram, "nvmlDeviceGetRowRemapperHistogram", nullptr,                        \
      (Device device, RowRemapperHistogram * histogram))                                           \
    X(retired_pages, "nvmlDeviceGetRetiredPages", nullptr,                                         \
      (Device device, RetirementCause cause, uint32_t * count, uint64_t * addresses))              \
    X(retired_pages_pending, "nvmlDeviceGetRetiredPagesPendingStatus", nullptr,                    \
      (Device device, EnableState * is_pending))                                                   \
    X(clocks_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons",                              \
      "nvmlDeviceGetCurrentClocksThrottleReasons", (Device device, uint64_t * mask))               \
    X(clock_mhz, "nvmlDeviceGetClockInfo", nullptr, (Device device, Clock clock, uint32_t * mhz))  \
    X(max_clock_mhz, "nvmlDeviceGetMaxClockInfo", nullptr,                                         \
      (Device device, Clock clock, uint32_t * mhz))                                                \
    X(performance_state, "nvmlDeviceGetPerformanceState", nullptr,                                 \
      (Device device, int32_t * state))                                                            \
    X(temperature, "nvmlDeviceGetTemperature", nullptr,                                            \
      (Device device, TemperatureSensor sensor, uint32_t * celsius))                               \
    X(temperature_threshold, "nvmlDeviceGetTemperatureThreshold", nullptr,                         \
      (Device device, TemperatureThreshold threshold, uint32_t * celsius))                         \
    X(power_mw, "nvmlDeviceGetPowerUsage", nullptr, (Device device, uint32_t * milliwatt))         \
    X(power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit", nullptr,                                  \
      (Device device, uint32_t * milliwatt))                                                       \
    X(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration", nullptr,                             \
      (Device device, uint32_t * generation))                                                      \
    X(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", nullptr, (Device device, uint32_t * lanes))    \
    X(max_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration", nullptr,                          \
      (Device device, uint32_t * generation))                                                      \
    X(max_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth", nullptr, (Device device, uint32_t * lanes)) \
    X(pcie_replays, "nvmlDeviceGetPcieReplayCounter", nullptr, (Device device, uint32_t * count))  \
    X(memory_info, "nvmlDeviceGetMemoryInfo_v2", nullptr, (Device device, MemoryInfo * info))      \
    X(utilization, "nvmlDeviceGetUtilizationRates", nullptr,                                       \
      (Device device, Utilization * utilization))                                                  \
    X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                \
      "nvmlDeviceGetComputeRunningProcesses_v2",                                                   \
      (Device device, uint32_t * count, ProcessInfo * processes))                                  \
    X(mig_mode, "nvmlDeviceGetMigMode", nullptr,                                                   \
      (Device device, uint32_t * current, uint32_t * pending))                                     \
    X(persistence_mode, "nvmlDeviceGetPersistenceMode", nullptr,                                   \
      (Device device, EnableState * mode))                                                         \
    X(compute_mode, "nvmlDeviceGetComputeMode", nullptr, (Device device, int32_t * mode))          \
    X(nvlink_state, "nvmlDeviceGetNvLinkState", nullptr,                                           \
      (Device device, uint32_t link, EnableState * is_active))                                     \
    X(nvlink_errors, "nvmlDeviceGetNvLinkErrorCounter", nullptr,                                   \
      (Device device, uint32_t link, NvlinkError error, uint64_t * count))                         \
    X(fabric_info, "nvmlDeviceGetGpuFabricInfoV", nullptr, (Device device, FabricInfo * info))     \
    X(event_set_create, "nvmlEventSetCreate", nullptr, (EventSet * set))                           \
    X(register_events, "nvmlDeviceRegisterEvents", nullptr,                                        \
      (Device device, uint64_t types, EventSet set))                                               \
    X(event_set_wait, "nvmlEventSetWait_v2", nullptr,                                              \
      (EventSet set, EventData * data, uint32_t timeout_ms))                                       \
    X(event_set_free, "nvmlEventSetFree", nullptr, (EventSet set))                                 \
    X(field_values, "nvmlDeviceGetFieldValues", nullptr,                                           \
      (Device device, int32_t count, FieldValue * values))
// NOLINTEND(cppcoreguidelines-macro-usage)

namespace longhaul::gpu::nvml {

/// The loaded library: one member function pointer for each line of LH_NVML_FUNCTIONS.
class Nvml {
 public:
    /// Loads libnvidia-ml.so.1, or the file that LONGHAUL_NVML names (ignored in a setuid program).
    /// Does not call init(). @throws GpuError naming the library and the loader's reason.
    static Nvml load();

#define LH_NVML_MEMBER(member, symbol, fallback, parameters) Return(*member) parameters = nullptr;
    LH_NVML_FUNCTIONS(LH_NVML_MEMBER)
#undef LH_NVML_MEMBER

    /// Calls `function(arguments...)`; kFunctionNotFound when this library does not have it.
    template <class Function, class... Arguments>
    static Return call(Function function, Arguments... arguments) {
        return function == nullptr ? Return::kFunctionNotFound : function(arguments...);
    }

    /// The path or name that was loaded.
    const std::string& library() const {
        return library_.name();
    }
    /// NVML's own words for a result, or "NVML error N".
    std::string describe(Return result) const;

 private:
    explicit Nvml(SharedLibrary library) : library_(std::move(library)) {}

    SharedLibrary library_;
    const char* (*error_string_)(Return) = nullptr;
};

}  // namespace longhaul::gpu::nvml
