// SPDX-License-Identifier: BSD-3-Clause
// lib/gpu over the double of the CUDA runtime.
#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <vector>

#include "lib/base/error.h"
#include "lib/gpu/buffer.h"
#include "lib/gpu/device.h"
#include "lib/gpu/stream.h"
#include "tests/gpu/doubles/cudart.h"

namespace longhaul::gpu {

namespace {

template <class Body>
std::string error_of(const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.describe();
    }
    return "no error";
}

}  // namespace

TEST_CASE("gpu device: every failure to count devices means no GPU, in one line") {
    cudart_double::set_devices(0, cudaErrorInsufficientDriver);
    const DeviceSurvey survey = survey_devices();
    CHECK(survey.devices.empty());
    CHECK(survey.reason ==
          "no GPU: CUDA driver version is insufficient for CUDA runtime version "
          "(cudaErrorInsufficientDriver)");
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(error_of([] { select_device(0); }) == survey.reason);
    cudart_double::set_devices(0);
    CHECK(survey_devices().reason == "no GPU: the CUDA driver sees no device");
    cudart_double::set_devices(2);
    CHECK(survey_devices().devices.size() == 2);
    CHECK(survey_devices().devices[1].pci_bus_id == "0000:02:00.0");
    CHECK(survey_devices().reason.empty());
    CHECK(error_of([] { select_device(2); }) == "GPU 2 does not exist: this node has GPUs 0 to 1");
    select_device(1);
    cudart_double::set_devices(1);
}

TEST_CASE("gpu buffer: copies are queued, visible after synchronize, and freed once") {
    {
        const CudaStream stream;
        const DeviceBuffer<int> buffer(3);
        const std::vector<int> source{1, 2, 3};
        std::vector<int> copy{0, 0, 0};
        copy_to_device(buffer, std::span<const int>(source), stream);
        copy_to_host(std::span<int>(copy), buffer, stream);
        CHECK(copy == std::vector<int>{0, 0, 0});  // the double defers as long as CUDA may
        stream.synchronize();
        CHECK(copy == source);
        fill_zero(buffer, stream);
        copy_to_host(std::span<int>(copy), buffer, stream);
        stream.synchronize();
        CHECK(copy == std::vector<int>{0, 0, 0});

        DeviceBuffer<int> moved(1);
        moved = DeviceBuffer<int>(2);
        CHECK(moved.size() == 2);
        const PinnedBuffer<double> pinned(4);
        CHECK(pinned.size_bytes() == 32);
        CHECK(DeviceBuffer<int>(0).data() == nullptr);
        CHECK(cudart_double::num_live_allocations() == 3);
    }
    CHECK(cudart_double::num_live_allocations() == 0);
}

TEST_CASE("gpu event: orders streams and says when it is done") {
    CudaStream producer, consumer;
    const DeviceBuffer<int> buffer(1);
    const std::vector<int> source{5};
    std::vector<int> copy{0};
    CudaEvent written(CudaEvent::Timing::kOn);
    copy_to_device(buffer, std::span<const int>(source), producer);
    written.record(producer);
    CHECK(!written.is_done());
    consumer.wait(written);
    copy_to_host(std::span<int>(copy), buffer, consumer);
    consumer.synchronize();  // runs the producer first
    CHECK(copy == source);
    CHECK(written.is_done());
    written.synchronize();
    CHECK(written.elapsed_ms(written) > 0);
}

TEST_CASE("gpu errors: name the call, the error and what was being done") {
    cudart_double::fail_next("cudaMalloc", cudaErrorMemoryAllocation);
    const std::string text = error_of([] { DeviceBuffer<float> buffer(size_t{1} << 20); });
    CHECK(text.find("allocating 4.0 MiB of device memory: cudaMalloc: cudaErrorMemoryAllocation: "
                    "out of memory (") == 0);
    CHECK(cudaGetLastError() == cudaSuccess);  // no later check reports it again
    const CudaStream stream;
    cudart_double::fail_next("cudaStreamSynchronize", cudaErrorIllegalAddress);
    CHECK(error_of([&] { stream.synchronize(); }).find("cudaErrorIllegalAddress") !=
          std::string::npos);
}

}  // namespace longhaul::gpu
