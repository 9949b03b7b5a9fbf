// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/cuda_check.h"
#include "lib/gpu/device.h"

#include "lib/base/error.h"

namespace longhaul::gpu {

namespace {

DeviceInfo describe_device(int index) {
    cudaDeviceProp properties{};
    LH_CUDA(cudaGetDeviceProperties(&properties, index));
    char bus_id[32] = {};
    LH_CUDA(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, index));
    return {.index = index,
            .name = properties.name,
            .compute_major = properties.major,
            .compute_minor = properties.minor,
            .memory_bytes = properties.totalGlobalMem,
            .num_multiprocessors = properties.multiProcessorCount,
            .pci_bus_id = bus_id};
}

}  // namespace

DeviceSurvey survey_devices() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        cudaGetLastError();  // forget it: no later check may stumble over this
        return {{}, format("no GPU: {} ({})", cudaGetErrorString(error), cudaGetErrorName(error))};
    }
    DeviceSurvey survey;
    for (int index = 0; index < count; ++index) survey.devices.push_back(describe_device(index));
    if (count == 0) survey.reason = "no GPU: the CUDA driver sees no device";
    return survey;
}

void select_device(int index) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        throw GpuError(survey_devices().reason);
    }
    if (index < 0 || index >= count) {
        throw GpuError(
            format("GPU {} does not exist: this node has GPUs 0 to {}", index, count - 1));
    }
    LH_CUDA(cudaSetDevice(index));
}

}  // namespace longhaul::gpu
