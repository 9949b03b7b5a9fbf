// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of NVML's binary interface that Longhaul uses, written down by us, because NVML's header
// comes with the CUDA toolkit while its library comes with the driver. Only types and numbers are
// here; lib/gpu/nvml_table.h loads the library.
//
// @source NVML API reference (docs.nvidia.com/deploy/nvml-api) and the layouts of nvml.h 12.2 and
// 13.3: the structures below are the same in both. A structure that carries a version says in its
// `version` member which layout the caller knows (struct_version); the library refuses others with
// kArgumentVersionMismatch. Names of functions carry their version as _v2, _v3 in nvml.h.

#include <cstddef>
#include <cstdint>

namespace longhaul::gpu::nvml {

/// nvmlReturn_t. The library may return numbers that are not listed.
enum class Return : int32_t {
    kSuccess = 0,
    kUninitialized = 1,
    kInvalidArgument = 2,
    kNotSupported = 3,
    kNoPermission = 4,
    kNotFound = 6,
    kInsufficientSize = 7,
    kInsufficientPower = 8,
    kDriverNotLoaded = 9,
    kTimeout = 10,
    kIrqIssue = 11,
    kLibraryNotFound = 12,
    kFunctionNotFound = 13,  // also our own answer for a symbol that the library lacks
    kCorruptedInforom = 14,
    kGpuIsLost = 15,
    kResetRequired = 16,
    kOperatingSystem = 17,
    kLibRmVersionMismatch = 18,  // the driver was upgraded without being reloaded
    kInUse = 19,
    kMemory = 20,
    kNoData = 21,
    kArgumentVersionMismatch = 25,
    kUnknown = 999,
};

/// nvmlDevice_t: opaque, valid until nvmlShutdown().
using Device = struct DeviceOpaque*;

/// nvmlEnableState_t.
enum class EnableState : int32_t { kDisabled = 0, kEnabled = 1 };

/// nvmlPciInfo_t as filled by nvmlDeviceGetPciInfo_v3.
struct PciInfo {
    char bus_id_legacy[16];  // "0000:4E:00.0"
    uint32_t domain;
    uint32_t bus;
    uint32_t device;
    uint32_t device_and_vendor;  // device id << 16 | vendor id (0x10de)
    uint32_t subsystem;
    char bus_id[32];  // "00000000:4E:00.0"
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);

/// nvmlMemoryErrorType_t and nvmlEccCounterType_t.
enum class EccError : int32_t { kCorrected = 0, kUncorrected = 1 };
enum class EccCounter : int32_t { kVolatile = 0, kAggregate = 1 };  // since driver load; for ever

/// nvmlMemoryLocation_t.
enum class MemoryLocation : int32_t {
    kL1Cache = 0,
    kL2Cache = 1,
    kDram = 2,
    kRegisterFile = 3,
    kTexture = 4,
    kShared = 5,
    kCbu = 6,
    kSram = 7,
};

/// nvmlPageRetirementCause_t (GPUs before Ampere; later ones remap rows).
enum class RetirementCause : int32_t { kMultipleSingleBit = 0, kDoubleBit = 1 };

/// nvmlRowRemapperHistogramValues_t: banks by how many spare rows they have left.
struct RowRemapperHistogram {
    uint32_t max, high, partial, low, none;
};
static_assert(sizeof(RowRemapperHistogram) == 20);

/// nvmlTemperatureSensors_t and nvmlTemperatureThresholds_t, degrees Celsius.
enum class TemperatureSensor : int32_t { kGpu = 0 };
enum class TemperatureThreshold : int32_t {
    kShutdown = 0,
    kSlowdown = 1,
    kMemoryMax = 2,
    kGpuMax = 3
};

/// nvmlClockType_t, MHz.
enum class Clock : int32_t { kGraphics = 0, kSm = 1, kMemory = 2, kVideo = 3 };

/// nvmlMemory_v2_t, bytes. Set `version` to kMemoryInfoVersion.
struct MemoryInfo {
    uint32_t version;
    uint64_t total, reserved, free, used;
};
static_assert(sizeof(MemoryInfo) == 40);

/// nvmlUtilization_t, percent.
struct Utilization {
    uint32_t gpu, memory;
};

/// nvmlProcessInfo_v2_t, the element of nvmlDeviceGetComputeRunningProcesses_v3.
struct ProcessInfo {
    uint32_t pid;
    uint64_t used_bytes;  // all ones: not available
    uint32_t gpu_instance;
    uint32_t compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

/// nvmlValue_t and nvmlValueType_t: which member counts.
enum class ValueType : int32_t {
    kDouble = 0,
    kUint32 = 1,
    kUlong = 2,
    kUint64 = 3,
    kInt64 = 4,
    kInt32 = 5,
    kUint16 = 6,
};
union Value {
    double as_double;
    int32_t as_int32;
    uint32_t as_uint32;
    unsigned long as_ulong;
    uint64_t as_uint64;
    int64_t as_int64;
    uint16_t as_uint16;
};

/// nvmlFieldValue_t. `result` must be checked field by field, whatever the call returned.
struct FieldValue {
    uint32_t field;  // a Field
    uint32_t scope;  // NVLink fields: the link
    int64_t timestamp_us;
    int64_t latency_us;
    ValueType type;
    Return result;
    Value value;
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, value) == 32);

/// NVML_FI_DEV_*: numbers for nvmlDeviceGetFieldValues.
namespace field {
inline constexpr uint32_t kEccSingleBitVolatile = 3, kEccDoubleBitVolatile = 4;
inline constexpr uint32_t kEccSingleBitAggregate = 5, kEccDoubleBitAggregate = 6;
inline constexpr uint32_t kRetiredSingleBit = 29, kRetiredDoubleBit = 30, kRetiredPending = 31;
inline constexpr uint32_t kNvlinkCount = 91;
inline constexpr uint32_t kPcieReplay = 94, kPcieReplayRollover = 95;
inline constexpr uint32_t kRemappedCorrectable = 142, kRemappedUncorrectable = 143;
inline constexpr uint32_t kRemappedPending = 144, kRemappedFailure = 145;
inline constexpr uint32_t kRecoveryAction = 230;  // value: a RecoveryAction; drivers from 570 on
}  // namespace field

/// nvmlDeviceGpuRecoveryAction_t: what the driver itself asks for.
enum class RecoveryAction : uint32_t {
    kNone = 0,
    kGpuReset = 1,
    kNodeReboot = 2,
    kDrainP2p = 3,
    kDrainAndReset = 4,
    kRecoverImex = 5,
};

/// nvmlClocksEventReasons* (before driver 535: nvmlClocksThrottleReasons*), a bit mask.
namespace clocks_event {
inline constexpr uint64_t kGpuIdle = 0x1, kApplicationClocks = 0x2, kSwPowerCap = 0x4;
inline constexpr uint64_t kHwSlowdown = 0x8, kSyncBoost = 0x10, kSwThermal = 0x20;
inline constexpr uint64_t kHwThermal = 0x40, kHwPowerBrake = 0x80, kDisplayClocks = 0x100;
}  // namespace clocks_event

/// nvmlGpuFabricInfo_v3_t: NVSwitch and MNNVL fabric. Set `version` to kFabricInfoVersion.
struct FabricInfo {
    uint32_t version;
    unsigned char cluster_uuid[16];
    Return status;  // means something only in state kCompleted
    uint32_t clique_id;
    unsigned char state;  // 0 not supported, 1 not started, 2 in progress, 3 completed
    uint32_t health_mask;
    unsigned char health_summary;  // 0 not supported, 1 healthy, 2 unhealthy, 3 limited
};
static_assert(sizeof(FabricInfo) == 40 && offsetof(FabricInfo, health_mask) == 32);

/// nvmlNvLinkErrorCounter_t.
enum class NvlinkError : int32_t {
    kReplay = 0,
    kRecovery = 1,
    kCrcFlit = 2,
    kCrcData = 3,
    kEccData = 4,
};

/// nvmlEventSet_t and nvmlEventData_t. Only events after register_events() are delivered.
using EventSet = struct EventSetOpaque*;
struct EventData {
    Device device;
    uint64_t type;                            // one of event_type
    uint64_t data;                            // kXid: the XID, 999 when unknown
    uint32_t gpu_instance, compute_instance;  // all ones when not MIG
};
static_assert(sizeof(EventData) == 32);
namespace event_type {
inline constexpr uint64_t kXid = 0x8, kRecoveryAction = 0x8000;
}

/// NVML_STRUCT_VERSION: size of the structure and its version in one number.
template <class Struct>
constexpr uint32_t struct_version(uint32_t version) {
    return static_cast<uint32_t>(sizeof(Struct)) | version << 24;
}
inline constexpr uint32_t kMemoryInfoVersion = struct_version<MemoryInfo>(2);
inline constexpr uint32_t kFabricInfoVersion = struct_version<FabricInfo>(3);

/// Buffer sizes that the API promises to suffice.
inline constexpr uint32_t kNameBytes = 96, kUuidBytes = 96, kVersionBytes = 81;
/// nvmlInitWithFlags: succeed although there is no GPU.
inline constexpr uint32_t kInitNoGpus = 1;

}  // namespace longhaul::gpu::nvml
