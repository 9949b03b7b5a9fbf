// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/nvml_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "lib/base/error.h"
#include "lib/gpu/nvml_table.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

namespace nv = gpu::nvml;
using nv::Nvml;
using nv::Return;

constexpr uint32_t kMaxLinks = 18;  // NVML_NVLINK_MAX_LINKS of the API read
constexpr uint32_t kMaxProcesses = 256;

void set_number(Values& values, const char* key, Return result, int64_t number) {
    Value value;
    value.error = static_cast<int>(result);
    if (result == Return::kSuccess) value.number = number;
    values[key] = std::move(value);
}

void set_text(Values& values, const char* key, Return result, const char* text) {
    Value value;
    value.error = static_cast<int>(result);
    if (result == Return::kSuccess) value.text = text;
    values[key] = std::move(value);
}

/// All calls for one GPU; keeps the readings short.
class DeviceReader {
 public:
    DeviceReader(const Nvml& nvml, nv::Device device, Values& values)
        : nvml_(nvml), device_(device), values_(values) {}

    void identity() {
        text(key::kName, nvml_.name);
        text(key::kUuid, nvml_.uuid);
        text(key::kSerial, nvml_.serial);
        text(key::kVbios, nvml_.vbios_version);
        nv::PciInfo pci{};
        const Return result = Nvml::call(nvml_.pci_info, device_, &pci);
        pci.bus_id[sizeof pci.bus_id - 1] = '\0';
        set_text(values_, key::kBusId, result, pci.bus_id);
        number<uint32_t>(key::kMinor, nvml_.minor_number);
        number<nv::EnableState>(key::kPersistence, nvml_.persistence_mode);
        number<int32_t>(key::kComputeMode, nvml_.compute_mode);
        uint32_t current = 0, pending = 0;
        const Return mig = Nvml::call(nvml_.mig_mode, device_, &current, &pending);
        set_number(values_, key::kMig, mig, current);
        set_number(values_, key::kMigPending, mig, pending);
    }

    void recovery() { field(key::kRecoveryAction, nv::field::kRecoveryAction); }

    void remap() {
        uint32_t correctable = 0, uncorrectable = 0, is_pending = 0, has_failed = 0;
        const Return result = Nvml::call(nvml_.remapped_rows, device_, &correctable, &uncorrectable,
                                         &is_pending, &has_failed);
        set_number(values_, key::kRemapCorrectable, result, correctable);
        set_number(values_, key::kRemapUncorrectable, result, uncorrectable);
        set_number(values_, key::kRemapPending, result, is_pending);
        set_number(values_, key::kRemapFailure, result, has_failed);
        nv::RowRemapperHistogram histogram{};
        const Return banks = Nvml::call(nvml_.row_remapper_histogram, device_, &histogram);
        set_number(values_, key::kRemapBanksNone, banks, histogram.none);
        number<nv::EnableState>(key::kRetiredPending, nvml_.retired_pages_pending);
    }

    void ecc() {
        nv::EnableState current{}, pending{};
        const Return mode = Nvml::call(nvml_.ecc_mode, device_, &current, &pending);
        set_number(values_, key::kEccMode, mode, static_cast<int64_t>(current));
        set_number(values_, key::kEccModePending, mode, static_cast<int64_t>(pending));
        ecc_count(key::kEccVolatileCorrected, nv::EccError::kCorrected, nv::EccCounter::kVolatile);
        ecc_count(key::kEccVolatileUncorrected, nv::EccError::kUncorrected,
                  nv::EccCounter::kVolatile);
        ecc_count(key::kEccAggregateCorrected, nv::EccError::kCorrected,
                  nv::EccCounter::kAggregate);
        ecc_count(key::kEccAggregateUncorrected, nv::EccError::kUncorrected,
                  nv::EccCounter::kAggregate);
    }

    void clocks() {
        number<uint64_t>(key::kClocksEvent, nvml_.clocks_event_reasons);
        uint32_t celsius = 0;
        Return result =
            Nvml::call(nvml_.temperature, device_, nv::TemperatureSensor::kGpu, &celsius);
        set_number(values_, key::kTemperature, result, celsius);
        result = Nvml::call(nvml_.temperature_threshold, device_,
                            nv::TemperatureThreshold::kSlowdown, &celsius);
        set_number(values_, key::kSlowdownTemperature, result, celsius);
        number<int32_t>(key::kPerformanceState, nvml_.performance_state);
        number<uint32_t>(key::kPower, nvml_.power_mw);
        number<uint32_t>(key::kPowerLimit, nvml_.power_limit_mw);
        nv::Utilization utilization{};
        result = Nvml::call(nvml_.utilization, device_, &utilization);
        set_number(values_, key::kUtilization, result, utilization.gpu);
    }

    void pcie() {
        number<uint32_t>(key::kPcieGeneration, nvml_.pcie_generation);
        number<uint32_t>(key::kPcieWidth, nvml_.pcie_width);
        number<uint32_t>(key::kMaxPcieGeneration, nvml_.max_pcie_generation);
        number<uint32_t>(key::kMaxPcieWidth, nvml_.max_pcie_width);
        number<uint32_t>(key::kPcieReplays, nvml_.pcie_replays);
    }

    void nvlink() {
        int64_t num_links = 0, num_active = 0, errors = 0;
        Return last = Return::kNotSupported;
        for (uint32_t link = 0; link < kMaxLinks; ++link) {
            nv::EnableState state{};
            const Return result = Nvml::call(nvml_.nvlink_state, device_, link, &state);
            if (result != Return::kSuccess) {
                // Links beyond the last one are "invalid argument" or "not supported".
                if (num_links == 0) last = result;
                continue;
            }
            ++num_links;
            num_active += state == nv::EnableState::kEnabled ? 1 : 0;
            for (const nv::NvlinkError kind : {nv::NvlinkError::kReplay, nv::NvlinkError::kRecovery,
                                               nv::NvlinkError::kCrcFlit}) {
                uint64_t count = 0;
                if (Nvml::call(nvml_.nvlink_errors, device_, link, kind, &count) ==
                    Return::kSuccess) {
                    errors += static_cast<int64_t>(count);
                }
            }
        }
        const Return result = num_links > 0 ? Return::kSuccess : last;
        set_number(values_, key::kNvlinkCount, result, num_links);
        set_number(values_, key::kNvlinkActive, result, num_active);
        set_number(values_, key::kNvlinkErrors, result, errors);
        fabric();
    }

    void use() {
        nv::MemoryInfo memory{};
        memory.version = nv::kMemoryInfoVersion;
        Return result = Nvml::call(nvml_.memory_info, device_, &memory);
        set_number(values_, key::kMemoryTotal, result, static_cast<int64_t>(memory.total >> 20));
        set_number(values_, key::kMemoryUsed, result, static_cast<int64_t>(memory.used >> 20));
        std::vector<nv::ProcessInfo> processes(kMaxProcesses);
        uint32_t count = kMaxProcesses;
        result = Nvml::call(nvml_.compute_processes, device_, &count, processes.data());
        set_number(values_, key::kProcesses, result, count);
        std::string ids;
        for (uint32_t i = 0; result == Return::kSuccess && i < std::min(count, 20u); ++i) {
            ids += format("{}{}", ids.empty() ? "" : " ", processes[i].pid);
        }
        set_text(values_, key::kProcessIds, result, ids.c_str());
    }

 private:
    template <class T>
    void number(const char* name, Return (*function)(nv::Device, T*)) {
        T value{};
        const Return result = Nvml::call(function, device_, &value);
        set_number(values_, name, result, static_cast<int64_t>(value));
    }

    void text(const char* name, Return (*function)(nv::Device, char*, uint32_t)) {
        char buffer[nv::kUuidBytes] = {};
        const Return result = Nvml::call(function, device_, buffer, nv::kUuidBytes - 1);
        set_text(values_, name, result, buffer);
    }

    void ecc_count(const char* name, nv::EccError error, nv::EccCounter counter) {
        uint64_t count = 0;
        const Return result = Nvml::call(nvml_.total_ecc_errors, device_, error, counter, &count);
        set_number(values_, name, result, static_cast<int64_t>(count));
    }

    void field(const char* name, uint32_t id) {
        nv::FieldValue value{};
        value.field = id;
        Return result = Nvml::call(nvml_.field_values, device_, 1, &value);
        if (result == Return::kSuccess) result = value.result;  // each field has its own
        const bool is_wide = value.type == nv::ValueType::kUint64 ||
                             value.type == nv::ValueType::kUlong ||
                             value.type == nv::ValueType::kInt64;
        set_number(values_, name, result,
                   is_wide ? static_cast<int64_t>(value.value.as_uint64) : value.value.as_uint32);
    }

    void fabric() {
        nv::FabricInfo info{};
        info.version = nv::kFabricInfoVersion;
        const Return result = Nvml::call(nvml_.fabric_info, device_, &info);
        set_number(values_, key::kFabricState, result, info.state);
        set_number(values_, key::kFabricStatus, result, static_cast<int64_t>(info.status));
        set_number(values_, key::kFabricHealth, result, info.health_mask);
    }

    const Nvml& nvml_;
    nv::Device device_;
    Values& values_;
};

std::string explain_start(const Nvml& nvml, Return result) {
    const std::string words = nvml.describe(result);
    switch (result) {
        case Return::kDriverNotLoaded:
            return "the NVIDIA driver is not loaded: " + words;
        case Return::kLibRmVersionMismatch:
            return "library and kernel module differ (driver updated without a reload): " + words;
        case Return::kNoPermission:
            return "no permission for /dev/nvidia*: " + words;
        case Return::kUnknown:
            return "NVML did not start, often a container without /dev/nvidia* (cgroup): " + words;
        default:
            return "NVML did not start: " + words;
    }
}

}  // namespace

struct NvmlReader::Impl {
    std::optional<Nvml> nvml;
    bool is_started = false;
    uint32_t count = 0;
};

NvmlReader::NvmlReader() : impl_(std::make_unique<Impl>()) {}
NvmlReader::~NvmlReader() = default;  // no nvmlShutdown: the child that reads ends with _exit()

int NvmlReader::num_gpus() const {
    return static_cast<int>(impl_->count);
}

std::string NvmlReader::start(Values& system) {
    if (impl_->is_started) return "";
    try {
        impl_->nvml.emplace(Nvml::load());
    } catch (const GpuError& error) {
        return error.describe();
    }
    const Nvml& nvml = *impl_->nvml;
    const Return result = Nvml::call(nvml.init);
    set_number(system, "init", result, 0);
    if (result != Return::kSuccess) return explain_start(nvml, result);
    char text[nv::kVersionBytes] = {};
    set_text(system, "driver_version", Nvml::call(nvml.driver_version, text, nv::kVersionBytes - 1),
             text);
    set_text(system, "nvml_version", Nvml::call(nvml.nvml_version, text, nv::kVersionBytes - 1),
             text);
    int32_t cuda = 0;
    set_number(system, "cuda_driver_version", Nvml::call(nvml.cuda_driver_version, &cuda), cuda);
    const Return counted = Nvml::call(nvml.device_count, &impl_->count);
    set_number(system, "gpu_count", counted, impl_->count);
    if (counted != Return::kSuccess) return "NVML does not count GPUs: " + nvml.describe(counted);
    impl_->is_started = true;
    return "";
}

void NvmlReader::read(int gpu, std::string_view topic, Values& values) {
    nv::Device device = nullptr;
    const Return result =
        Nvml::call(impl_->nvml->device_by_index, static_cast<uint32_t>(gpu), &device);
    set_number(values, "handle", result, 0);
    if (result != Return::kSuccess) return;
    DeviceReader reader(*impl_->nvml, device, values);
    const std::pair<std::string_view, void (DeviceReader::*)()> topics[] = {
        {"identity", &DeviceReader::identity}, {"recovery", &DeviceReader::recovery},
        {"remap", &DeviceReader::remap},       {"ecc", &DeviceReader::ecc},
        {"clocks", &DeviceReader::clocks},     {"pcie", &DeviceReader::pcie},
        {"nvlink", &DeviceReader::nvlink},     {"use", &DeviceReader::use}};
    for (const auto& [name, read_topic] : topics) {
        if (name == topic) (reader.*read_topic)();
    }
}

}  // namespace longhaul::health
