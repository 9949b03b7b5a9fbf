// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libnvidia-ml.so.1 that plays healthy and sick nodes. LONGHAUL_NVML names this
// library, LONGHAUL_NVML_FAKE a file:
//
//     [system]
//     gpus = 8                      driver_version = 570.86.15     init = 18 (an nvmlReturn_t)
//     hang = nvmlInit_v2            crash = nvmlDeviceGetCount_v2  (lists, separated by blanks)
//     [gpu *]                       # all GPUs; [gpu 3] overrides
//     ecc_volatile_uncorrected = 2  # keys as in lib/health/gpu_keys.h
//     error.nvmlDeviceGetTemperature = 15
//     hang = nvmlDeviceGetTotalEccErrors
//
// Compiled with NVML_FAKE_OLD it lacks the functions that drivers before 525 do not have.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "lib/gpu/nvml_abi.h"

using namespace longhaul::gpu::nvml;

namespace {

using Section = std::map<std::string, std::string>;

std::string trim(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t");
    const size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Sections by name; read once.
const std::map<std::string, Section>& script() {
    static const std::map<std::string, Section> sections = [] {
        std::map<std::string, Section> result;
        const char* path = std::getenv("LONGHAUL_NVML_FAKE");
        std::ifstream file(path == nullptr ? "" : path);
        std::string section = "system";
        for (std::string line; std::getline(file, line);) {
            line = trim(line.substr(0, line.find('#')));
            const size_t equal = line.find('=');
            if (!line.empty() && line[0] == '[') {
                section = line.substr(1, line.find(']') - 1);
            } else if (equal != std::string::npos) {
                result[section][trim(line.substr(0, equal))] = trim(line.substr(equal + 1));
            }
        }
        return result;
    }();
    return sections;
}

const std::string* find(const std::string& section, const std::string& key) {
    const auto found = script().find(section);
    if (found == script().end()) return nullptr;
    const auto value = found->second.find(key);
    return value == found->second.end() ? nullptr : &value->second;
}

int index_of(Device device) {
    return static_cast<int>(reinterpret_cast<intptr_t>(device)) - 1;
}

/// The value for a GPU: its own section, then that of all, then the healthy default.
std::string text(Device device, const std::string& key, const std::string& healthy) {
    if (const std::string* own = find("gpu " + std::to_string(index_of(device)), key)) return *own;
    if (const std::string* all = find("gpu *", key)) return *all;
    return healthy;
}

int64_t number(Device device, const std::string& key, int64_t healthy) {
    return std::strtoll(text(device, key, std::to_string(healthy)).c_str(), nullptr, 0);
}

bool lists(const std::string& list, const std::string& name) {
    std::istringstream words(list);
    for (std::string word; words >> word;) {
        if (word == name) return true;
    }
    return false;
}

/// What every function does first: hang, crash, or the error that the script wants.
Return enter(const char* function, Device device = nullptr) {
    const auto is_listed = [&](const char* key) {
        const std::string* system = find("system", key);
        const bool in_system = system != nullptr && lists(*system, function);
        return in_system || (device != nullptr && lists(text(device, key, ""), function));
    };
    while (is_listed("hang")) pause();
    if (is_listed("crash")) std::raise(SIGSEGV);
    const std::string key = std::string("error.") + function;
    if (device != nullptr) return static_cast<Return>(number(device, key, 0));
    const std::string* code = find("system", key);
    return code == nullptr ? Return::kSuccess : static_cast<Return>(std::atoi(code->c_str()));
}

Return copy(const std::string& from, char* to, uint32_t size) {
    if (from.size() + 1 > size) return Return::kInsufficientSize;
    std::memcpy(to, from.c_str(), from.size() + 1);
    return Return::kSuccess;
}

std::string system_text(const char* key, const char* healthy) {
    const std::string* value = find("system", key);
    return value == nullptr ? healthy : *value;
}

template <class T>
Return give(const char* function, Device device, const char* key, int64_t healthy, T* out) {
    const Return result = enter(function, device);
    if (result == Return::kSuccess) *out = static_cast<T>(number(device, key, healthy));
    return result;
}

Return give_text(const char* function, Device device, const char* key, const std::string& healthy,
                 char* out, uint32_t size) {
    const Return result = enter(function, device);
    return result == Return::kSuccess ? copy(text(device, key, healthy), out, size) : result;
}

std::string two_digits(const char* pattern, int value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, pattern, value);
    return buffer;
}

}  // namespace

extern "C" {

Return nvmlInit_v2() {
    const Return result = enter("nvmlInit_v2");
    if (result != Return::kSuccess) return result;
    return static_cast<Return>(std::atoi(system_text("init", "0").c_str()));
}
Return nvmlShutdown() {
    return Return::kSuccess;
}
const char* nvmlErrorString(Return result) {
    switch (result) {
        case Return::kSuccess:
            return "Success";
        case Return::kNotSupported:
            return "Not Supported";
        case Return::kNoPermission:
            return "Insufficient Permissions";
        case Return::kDriverNotLoaded:
            return "Driver Not Loaded";
        case Return::kGpuIsLost:
            return "GPU is lost";
        case Return::kLibRmVersionMismatch:
            return "Driver/library version mismatch";
        default:
            return "Unknown Error";
    }
}
Return nvmlSystemGetDriverVersion(char* out, uint32_t size) {
    return copy(system_text("driver_version", "570.86.15"), out, size);
}
Return nvmlSystemGetNVMLVersion(char* out, uint32_t size) {
    return copy(system_text("nvml_version", "12.570.86.15"), out, size);
}
Return nvmlSystemGetCudaDriverVersion_v2(int32_t* version) {
    *version = std::atoi(system_text("cuda_driver_version", "12080").c_str());
    return Return::kSuccess;
}
Return nvmlDeviceGetCount_v2(uint32_t* count) {
    const Return result = enter("nvmlDeviceGetCount_v2");
    *count = static_cast<uint32_t>(std::atoi(system_text("gpus", "8").c_str()));
    return result;
}
Return nvmlDeviceGetHandleByIndex_v2(uint32_t index, Device* device) {
    *device = reinterpret_cast<Device>(static_cast<intptr_t>(index) + 1);
    return enter("nvmlDeviceGetHandleByIndex_v2", *device);
}
Return nvmlDeviceGetName(Device device, char* out, uint32_t size) {
    return give_text("nvmlDeviceGetName", device, "name", "NVIDIA H100 80GB HBM3", out, size);
}
Return nvmlDeviceGetUUID(Device device, char* out, uint32_t size) {
    return give_text("nvmlDeviceGetUUID", device, "uuid",
                     two_digits("GPU-00000000-0000-0000-0000-0000000000%02x", index_of(device)),
                     out, size);
}
Return nvmlDeviceGetSerial(Device device, char* out, uint32_t size) {
    return give_text("nvmlDeviceGetSerial", device, "serial",
                     two_digits("16522240000%02d", index_of(device)), out, size);
}
Return nvmlDeviceGetVbiosVersion(Device device, char* out, uint32_t size) {
    return give_text("nvmlDeviceGetVbiosVersion", device, "vbios_version", "96.00.99.00.01", out,
                     size);
}
Return nvmlDeviceGetMinorNumber(Device device, uint32_t* out) {
    return give("nvmlDeviceGetMinorNumber", device, "minor_number", index_of(device), out);
}
Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
    const Return result = enter("nvmlDeviceGetPciInfo_v3", device);
    std::memset(info, 0, sizeof *info);
    const std::string healthy = two_digits("00000000:%02X:00.0", 0x1A + 16 * index_of(device));
    std::snprintf(info->bus_id, sizeof info->bus_id, "%s", text(device, "bus_id", healthy).c_str());
    info->device_and_vendor = 0x233010deu;
    return result;
}
Return nvmlDeviceGetPersistenceMode(Device device, EnableState* out) {
    return give("nvmlDeviceGetPersistenceMode", device, "persistence_mode", 1, out);
}
Return nvmlDeviceGetComputeMode(Device device, int32_t* out) {
    return give("nvmlDeviceGetComputeMode", device, "compute_mode", 0, out);
}
Return nvmlDeviceGetMigMode(Device device, uint32_t* current, uint32_t* pending) {
    *pending = static_cast<uint32_t>(number(device, "mig_mode_pending", 0));
    return give("nvmlDeviceGetMigMode", device, "mig_mode", 0, current);
}
Return nvmlDeviceGetEccMode(Device device, EnableState* current, EnableState* pending) {
    *pending =
        static_cast<EnableState>(number(device, "ecc_mode_pending", number(device, "ecc_mode", 1)));
    return give("nvmlDeviceGetEccMode", device, "ecc_mode", 1, current);
}
Return nvmlDeviceGetTotalEccErrors(Device device, EccError error, EccCounter counter,
                                   uint64_t* out) {
    const std::string key = std::string("ecc_") +
                            (counter == EccCounter::kVolatile ? "volatile_" : "aggregate_") +
                            (error == EccError::kCorrected ? "corrected" : "uncorrected");
    return give("nvmlDeviceGetTotalEccErrors", device, key.c_str(), 0, out);
}
Return nvmlDeviceGetRemappedRows(Device device, uint32_t* correctable, uint32_t* uncorrectable,
                                 uint32_t* is_pending, uint32_t* has_failed) {
    *correctable = static_cast<uint32_t>(number(device, "remapped_correctable", 0));
    *uncorrectable = static_cast<uint32_t>(number(device, "remapped_uncorrectable", 0));
    *has_failed = static_cast<uint32_t>(number(device, "remap_failure", 0));
    return give("nvmlDeviceGetRemappedRows", device, "remap_pending", 0, is_pending);
}
Return nvmlDeviceGetRetiredPagesPendingStatus(Device device, EnableState* out) {
    const Return result = enter("nvmlDeviceGetRetiredPagesPendingStatus", device);
    if (result != Return::kSuccess || text(device, "retired_pages_pending", "").empty()) {
        return result != Return::kSuccess ? result : Return::kNotSupported;  // Ampere and later
    }
    *out = static_cast<EnableState>(number(device, "retired_pages_pending", 0));
    return result;
}
Return nvmlDeviceGetTemperature(Device device, TemperatureSensor, uint32_t* out) {
    return give("nvmlDeviceGetTemperature", device, "temperature_c", 38, out);
}
Return nvmlDeviceGetTemperatureThreshold(Device device, TemperatureThreshold, uint32_t* out) {
    return give("nvmlDeviceGetTemperatureThreshold", device, "slowdown_temperature_c", 87, out);
}
Return nvmlDeviceGetPerformanceState(Device device, int32_t* out) {
    return give("nvmlDeviceGetPerformanceState", device, "performance_state", 0, out);
}
Return nvmlDeviceGetPowerUsage(Device device, uint32_t* out) {
    return give("nvmlDeviceGetPowerUsage", device, "power_mw", 71000, out);
}
Return nvmlDeviceGetEnforcedPowerLimit(Device device, uint32_t* out) {
    return give("nvmlDeviceGetEnforcedPowerLimit", device, "power_limit_mw", 700000, out);
}
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* out) {
    out->memory = 0;
    return give("nvmlDeviceGetUtilizationRates", device, "utilization_percent", 0, &out->gpu);
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, uint32_t* out) {
    return give("nvmlDeviceGetCurrPcieLinkGeneration", device, "pcie_generation", 5, out);
}
Return nvmlDeviceGetCurrPcieLinkWidth(Device device, uint32_t* out) {
    return give("nvmlDeviceGetCurrPcieLinkWidth", device, "pcie_width", 16, out);
}
Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, uint32_t* out) {
    return give("nvmlDeviceGetMaxPcieLinkGeneration", device, "max_pcie_generation", 5, out);
}
Return nvmlDeviceGetMaxPcieLinkWidth(Device device, uint32_t* out) {
    return give("nvmlDeviceGetMaxPcieLinkWidth", device, "max_pcie_width", 16, out);
}
Return nvmlDeviceGetPcieReplayCounter(Device device, uint32_t* out) {
    return give("nvmlDeviceGetPcieReplayCounter", device, "pcie_replays", 0, out);
}
Return nvmlDeviceGetNvLinkState(Device device, uint32_t link, EnableState* out) {
    const int64_t num_links = number(device, "nvlink_links", 18);
    if (static_cast<int64_t>(link) >= num_links) {
        return num_links == 0 ? Return::kNotSupported : Return::kInvalidArgument;
    }
    const Return result = enter("nvmlDeviceGetNvLinkState", device);
    *out = static_cast<int64_t>(link) < number(device, "nvlink_active", num_links)
               ? EnableState::kEnabled
               : EnableState::kDisabled;
    return result;
}
Return nvmlDeviceGetNvLinkErrorCounter(Device device, uint32_t link, NvlinkError kind,
                                       uint64_t* out) {
    *out = link == 0 && kind == NvlinkError::kReplay
               ? static_cast<uint64_t>(number(device, "nvlink_errors", 0))
               : 0;
    return enter("nvmlDeviceGetNvLinkErrorCounter", device);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, uint32_t* count,
                                               ProcessInfo* processes) {
    const auto running = static_cast<uint32_t>(number(device, "num_compute_processes", 0));
    const Return result = enter("nvmlDeviceGetComputeRunningProcesses_v3", device);
    for (uint32_t i = 0; i < running && i < *count; ++i) {
        processes[i] = {4000 + i, 1u << 30, 0xFFFFFFFFu, 0xFFFFFFFFu};
    }
    *count = running;
    return result;
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, uint64_t* out) {
    return give("nvmlDeviceGetCurrentClocksThrottleReasons", device, "clocks_event_reasons", 1,
                out);
}

#ifndef NVML_FAKE_OLD
Return nvmlDeviceGetCurrentClocksEventReasons(Device device, uint64_t* out) {
    return give("nvmlDeviceGetCurrentClocksEventReasons", device, "clocks_event_reasons", 1, out);
}
Return nvmlDeviceGetRowRemapperHistogram(Device device, RowRemapperHistogram* out) {
    *out = {640, 0, 0, 0, 0};
    return give("nvmlDeviceGetRowRemapperHistogram", device, "remap_banks_without_spares", 0,
                &out->none);
}
Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryInfo* out) {
    if (out->version != kMemoryInfoVersion) return Return::kArgumentVersionMismatch;
    out->total = static_cast<uint64_t>(number(device, "memory_total_mib", 81559)) << 20;
    out->used = static_cast<uint64_t>(number(device, "memory_used_mib", 4)) << 20;
    return enter("nvmlDeviceGetMemoryInfo_v2", device);
}
Return nvmlDeviceGetGpuFabricInfoV(Device device, FabricInfo* out) {
    if (out->version != kFabricInfoVersion) return Return::kArgumentVersionMismatch;
    out->state = static_cast<unsigned char>(number(device, "fabric_state", 3));
    out->status = static_cast<Return>(number(device, "fabric_status", 0));
    out->health_mask = static_cast<uint32_t>(number(device, "fabric_health_mask", 0x1AA));
    return enter("nvmlDeviceGetGpuFabricInfoV", device);
}
Return nvmlDeviceGetFieldValues(Device device, int32_t count, FieldValue* values) {
    for (int32_t i = 0; i < count; ++i) {
        const bool is_known = values[i].field == field::kRecoveryAction;
        values[i].result = is_known ? Return::kSuccess : Return::kNotSupported;
        values[i].type = ValueType::kUint32;
        values[i].value.as_uint32 = static_cast<uint32_t>(number(device, "recovery_action", 0));
    }
    return enter("nvmlDeviceGetFieldValues", device);
}
#endif

}  // extern "C"
