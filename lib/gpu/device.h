// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which GPUs the CUDA runtime sees. A machine without a GPU or driver is an answer, not an error:
// every program must run there.

#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::gpu {

struct DeviceInfo {
    int index = 0;
    std::string name;
    int compute_major = 0, compute_minor = 0;
    uint64_t memory_bytes = 0;
    int num_multiprocessors = 0;
    std::string pci_bus_id;  // "0000:4e:00.0"
};

struct DeviceSurvey {
    std::vector<DeviceInfo> devices;
    /// Why there are none, in one line ("no GPU: ..."); empty when there are some.
    std::string reason;
};

/// Asks the runtime. Any failure to count devices means "no GPU": without a driver the runtime says
/// cudaErrorInsufficientDriver, with the toolkit's stub of libcuda cudaErrorStubLibrary.
DeviceSurvey survey_devices();

/// Makes `index` the calling thread's device. @throws GpuError with the survey's reason, or naming
/// the range of indices that exist.
void select_device(int index);

}  // namespace longhaul::gpu
