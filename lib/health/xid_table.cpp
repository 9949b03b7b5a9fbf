// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/xid.h"

namespace longhaul::health {

namespace {

using record::Status;

constexpr Status kOk = Status::kOk;      // follows from something else, or harmless
constexpr Status kNote = Status::kNote;  // the application's fault as a rule
constexpr Status kWarn = Status::kWarn;
constexpr Status kFail = Status::kFail;

constexpr char kApp[] =
    "restart the application; if it follows one GPU over several jobs, drain the node";
constexpr char kReset[] =
    "drain the node and reset the GPU (nvidia-smi --gpu-reset); reboot if that fails";
constexpr char kSupport[] = "collect nvidia-bug-report.sh and contact support; drain on repetition";
constexpr char kNothing[] = "nothing; look at the XID before it";

// clang-format off
constexpr XidInfo kTable[] = {
    {8, kNote, "GPU stopped processing", "a channel's watchdog ran out", kApp},
    {11, kNote, "invalid or corrupted push buffer stream", "a channel got bad commands", kApp},
    {13, kNote, "graphics engine exception", "an illegal instruction, address or operation in a kernel", kApp},
    {14, kOk, "unused", "secondary message", kNothing},
    {25, kNote, "invalid or illegal push buffer stream", "a channel got bad commands", kApp},
    {31, kNote, "GPU memory page fault", "a kernel accessed memory that is not mapped", kApp},
    {32, kNote, "invalid or corrupted push buffer stream", "bad commands, or PCIe data damage", kApp},
    {37, kOk, "driver firmware error", "secondary message", kNothing},
    {38, kOk, "driver firmware error", "secondary message", kNothing},
    {39, kNote, "copy engine exception", "an illegal copy", kApp},
    {40, kNote, "copy engine exception", "an illegal copy", kApp},
    {41, kNote, "copy engine exception", "an illegal copy", kApp},
    {42, kWarn, "video processor exception", "an engine stopped", kSupport},
    {43, kOk, "GPU stopped processing", "the application was ended after its own fault", kNothing},
    {44, kOk, "graphics engine fault during context switch", "secondary message", kNothing},
    {45, kOk, "preemptive cleanup", "channels were removed because of an earlier error or a kill", kNothing},
    {46, kFail, "GPU stopped processing", "the GPU hangs", kReset},
    {48, kFail, "double bit ECC error", "an uncorrectable error in GPU memory", kReset},
    {54, kFail, "auxiliary power is not connected", "power cable or supply", "check the power cabling of the GPU"},
    {56, kWarn, "display engine error", "an engine stopped", kSupport},
    {57, kFail, "frame buffer link training failed", "GPU memory could not be initialised", "drain the node; replace the GPU if a power cycle does not help"},
    {58, kFail, "unstable video memory interface", "GPU memory signalling fails", "drain the node; replace the GPU if a power cycle does not help"},
    {59, kWarn, "internal micro-controller error", "old driver family", kSupport},
    {60, kNote, "video processor exception", "an engine stopped", kApp},
    {61, kFail, "internal micro-controller breakpoint", "the power management unit stopped", kReset},
    {62, kFail, "internal micro-controller halt", "the power management unit stopped", kReset},
    {63, kOk, "row remapping or page retirement recorded", "a bad memory row was noted; gpu.remap says whether a reset is due", "nothing now; see gpu.remap.pending"},
    {64, kFail, "row remapping or page retirement failed", "no spare rows are left, or the InfoROM can not be written", "drain the node; reset the GPU; replace it if it stays"},
    {65, kWarn, "video processor exception", "an engine stopped", kSupport},
    {66, kOk, "illegal access by the driver", "secondary message", kNothing},
    {67, kOk, "illegal access by the driver", "secondary message", kNothing},
    {68, kNote, "video processor exception", "an engine stopped", kApp},
    {69, kNote, "graphics engine class error", "bad method data of an application", kApp},
    {70, kNote, "copy engine error", "unknown copy error", kApp},
    {71, kNote, "copy engine error", "unknown copy error", kApp},
    {72, kNote, "copy engine error", "unknown copy error", kApp},
    {73, kWarn, "video encoder error", "an engine stopped", kSupport},
    {74, kWarn, "NVLink error", "a link failed or retrained: GPU, switch, or the other end", "drain on repetition or when gpu.nvlink reports inactive links; reset all GPUs of the node"},
    {75, kNote, "copy engine error", "unknown copy error", kApp},
    {76, kNote, "copy engine error", "unknown copy error", kApp},
    {77, kNote, "copy engine error", "unknown copy error", kApp},
    {78, kWarn, "vGPU start error", "software versions do not fit", "update driver and host software"},
    {79, kFail, "GPU has fallen off the bus", "the driver lost contact over PCIe: power, heat, or a dead GPU", "drain and reboot the node; replace the GPU or riser on repetition"},
    {80, kNote, "corrupted data sent to the GPU", "PCIe or driver", kApp},
    {81, kWarn, "VGA subsystem error", "an engine stopped", kSupport},
    {82, kNote, "JPEG engine error", "an engine stopped", kApp},
    {83, kNote, "video decoder error", "an engine stopped", kApp},
    {84, kNote, "video decoder error", "an engine stopped", kApp},
    {85, kNote, "copy engine error", "unknown copy error", kApp},
    {86, kNote, "optical flow engine error", "an engine stopped", kApp},
    {88, kNote, "video decoder error", "an engine stopped", kApp},
    {89, kNote, "video decoder error", "an engine stopped", kApp},
    {90, kWarn, "SPI bus error", "access to the board's flash failed", kSupport},
    {92, kWarn, "high single-bit error rate", "many corrected errors in GPU memory", "watch gpu.ecc; replace the GPU if uncorrected errors follow"},
    {93, kOk, "InfoROM non-fatal error", "secondary message", kNothing},
    {94, kWarn, "contained memory error", "an uncorrectable error ended one application; the GPU stays usable", "restart the application; see gpu.remap.pending and reset the GPU when idle"},
    {95, kFail, "uncontained memory error", "an uncorrectable error may have touched other applications", kReset},
    {96, kNote, "video decoder error", "an engine stopped", kApp},
    {97, kNote, "video decoder error", "an engine stopped", kApp},
    {98, kNote, "video decoder error", "an engine stopped", kApp},
    {99, kNote, "video decoder error", "an engine stopped", kApp},
    {100, kNote, "video decoder error", "an engine stopped", kApp},
    {101, kNote, "video decoder error", "an engine stopped", kApp},
    {102, kNote, "copy engine error", "unknown copy error", kApp},
    {103, kNote, "copy engine error", "unknown copy error", kApp},
    {104, kNote, "copy engine error", "unknown copy error", kApp},
    {105, kNote, "copy engine error", "unknown copy error", kApp},
    {106, kOk, "SMBus test message", "informational", kNothing},
    {107, kOk, "SMBus informational message", "informational", kNothing},
    {108, kOk, "SMBus informational message", "informational", kNothing},
    {109, kFail, "context switch timeout", "the GPU does not switch between applications any more", kReset},
    {110, kFail, "security fault", "the GPU stopped for its own protection", kReset},
    {119, kFail, "GSP RPC timeout", "the GPU's system processor does not answer the driver", kReset},
    {120, kFail, "GSP error", "the GPU's system processor crashed", kReset},
    {121, kOk, "C2C corrected error", "the link between CPU and GPU corrected an error", kNothing},
    {122, kWarn, "SPI PMU RPC read failure", "access to the board's flash failed", kSupport},
    {123, kWarn, "SPI PMU RPC write failure", "access to the board's flash failed", kSupport},
    {124, kWarn, "SPI PMU RPC erase failure", "access to the board's flash failed", kSupport},
    {125, kWarn, "InfoROM file system failure", "access to the board's flash failed", kSupport},
    {126, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {127, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {128, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {129, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {130, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {131, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {132, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {133, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {134, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {135, kNote, "copy, video or optical flow engine error", "an engine of the GPU reported an application's fault", kApp},
    {136, kFail, "link training failed", "the GPU needs a reset", kReset},
    {137, kOk, "NVLink fault reported to the application", "secondary message of an NVLink error", "see XID 74 or 144 to 150 of the same time"},
    {139, kNote, "optical flow engine error", "an engine stopped", kApp},
    {140, kFail, "unrecovered ECC error", "an uncorrectable error outside memory rows", kReset},
    {141, kOk, "unused", "secondary message", kNothing},
    {143, kFail, "GPU initialisation failed", "the GPU needs a reset", kReset},
    {144, kWarn, "NVLink SAW error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {145, kWarn, "NVLink RLW error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {146, kWarn, "NVLink TLW error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {147, kWarn, "NVLink TREX error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {148, kWarn, "NVLink NVLPW error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {149, kWarn, "NVLink NETIR error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {150, kWarn, "NVLink MSE error", "NVLink 5; the line says whether it is fatal", "fatal: drain and reset; otherwise watch gpu.nvlink"},
    {151, kFail, "key rotation error", "confidential computing lost its keys", "restart the virtual machine"},
    {152, kOk, "DLA SMMU error", "secondary message", kNothing},
    {153, kOk, "DLA timeout", "secondary message", kNothing},
    {154, kFail, "GPU recovery action changed", "the driver asks for a reset, reboot or drain", "do what the line says; gpu.recovery shows the present state"},
    {155, kFail, "NVLink software-defined error", "links went down; the GPU needs a reset", kReset},
    {156, kFail, "resource retirement event", "a part of the GPU was retired; it needs a reset", kReset},
    {157, kWarn, "resource retirement failed", "a faulty part could not be retired; the GPU is usable", kSupport},
    {158, kFail, "GPU fatal timeout", "the GPU hangs", kReset},
    {159, kWarn, "CHI non-data error", "error on the link to the CPU", kSupport},
    {160, kOk, "channel retirement event", "secondary message", kNothing},
    {161, kOk, "channel retirement failure", "secondary message", kNothing},
    {162, kOk, "power smoothing event", "informational", kNothing},
    {163, kOk, "power smoothing event", "informational", kNothing},
    {164, kOk, "power smoothing event", "informational", kNothing},
    {165, kOk, "power smoothing event", "informational", kNothing},
    {167, kFail, "PCIe fatal timeout", "the GPU does not answer over PCIe", "drain and reboot the node"},
    {168, kWarn, "reduced memory capacity", "rows were taken out of service", "compare gpu memory with its peers; replace the GPU when convenient"},
    {169, kFail, "SEC2 halt", "the security processor stopped", kReset},
    {171, kOk, "uncorrectable DRAM error", "detail of XID 48", "see XID 48"},
    {172, kOk, "uncorrectable SRAM error", "detail of XID 48", "see XID 48"},
    {173, kFail, "C2C fatal link failure", "the link between CPU and GPU failed", "drain and reboot the node"},
    {175, kFail, "memory subsystem error", "GPU memory failed", kReset},
    {176, kNote, "PCIe corrected errors", "the PCIe link corrects errors", "watch gpu.pcie; reseat the card if they grow"},
};
// clang-format on

}  // namespace

std::span<const XidInfo> xid_table() {
    return kTable;
}

}  // namespace longhaul::health
