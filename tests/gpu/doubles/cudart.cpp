// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/doubles/cudart.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/gpu/host_cuda/stream_queue.h"

namespace {

using longhaul::host_cuda::drain;
using longhaul::host_cuda::drain_all;
using longhaul::host_cuda::enqueue;

struct Event {
    void* stream = nullptr;
    bool is_recorded = false;  // record() was called
    bool is_done = true;       // and the stream has come by
};

struct Runtime {
    int num_devices = 1;
    cudaError_t device_error = cudaSuccess;
    cudaError_t last_error = cudaSuccess;
    std::map<std::string, cudaError_t> failures;
    std::map<const void*, size_t> allocations;  // start, bytes
};

Runtime& runtime() {
    static Runtime state;
    return state;
}

cudaError_t remember(cudaError_t error) {
    if (error != cudaSuccess) runtime().last_error = error;
    return error;
}

/// The injected failure of `function`, once.
cudaError_t injected(const char* function) {
    auto& failures = runtime().failures;
    const auto found = failures.find(function);
    if (found == failures.end()) return cudaSuccess;
    const cudaError_t error = found->second;
    failures.erase(found);
    return remember(error);
}

bool is_managed(const void* address) {
    const auto& all = runtime().allocations;
    auto after = all.upper_bound(address);
    if (after == all.begin()) return false;
    const auto& [start, bytes] = *--after;
    return static_cast<const char*>(address) < static_cast<const char*>(start) + bytes;
}

cudaError_t allocate(void** memory, size_t bytes) {
    *memory = nullptr;
    if (posix_memalign(memory, 256, bytes) != 0) return remember(cudaErrorMemoryAllocation);
    std::memset(*memory, 0xFF, bytes);  // NaN: what was never written shows
    runtime().allocations[*memory] = bytes;
    return cudaSuccess;
}

cudaError_t release(void* memory) {
    drain_all();  // freeing waits for the device
    if (memory != nullptr && runtime().allocations.erase(memory) == 0) {
        return remember(cudaErrorInvalidValue);
    }
    std::free(memory);
    return cudaSuccess;
}

Event& event_of(cudaEvent_t event) {
    return *reinterpret_cast<Event*>(event);
}

/// Runs the event's stream up to the event.
void reach(Event& event) {
    if (!event.is_done) drain(event.stream);
    if (!event.is_done) throw std::logic_error("the stream of an event has gone");
}

}  // namespace

namespace longhaul::cudart_double {

void set_devices(int count, int error) {
    runtime().num_devices = count;
    runtime().device_error = static_cast<cudaError_t>(error);
}

void fail_next(const std::string& function, int error) {
    runtime().failures[function] = static_cast<cudaError_t>(error);
}

int num_live_allocations() {
    return static_cast<int>(runtime().allocations.size());
}

}  // namespace longhaul::cudart_double

// The runtime's own names. Kernel launches do not come by here: launch() of host_cuda.h queues
// them.
extern "C" {

cudaError_t cudaGetLastError() {
    return std::exchange(runtime().last_error, cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaErrorInsufficientDriver:
            return "cudaErrorInsufficientDriver";
        case cudaErrorStubLibrary:
            return "cudaErrorStubLibrary";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        default:
            return "cudaErrorOfTheDouble";
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorInsufficientDriver:
            return "CUDA driver version is insufficient for CUDA runtime version";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        default:
            return "an error of the double";
    }
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = runtime().device_error == cudaSuccess ? runtime().num_devices : 0;
    return remember(runtime().device_error);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "host double");
    properties->major = 9;
    properties->multiProcessorCount = 1;
    properties->totalGlobalMem = size_t{1} << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int size, int device) {
    std::snprintf(bus_id, static_cast<size_t>(size), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int) {
    return injected("cudaSetDevice");
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
    if (const cudaError_t error = injected("cudaMalloc")) return error;
    return allocate(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
    return release(memory);
}
cudaError_t cudaMallocHost(void** memory, size_t bytes) {
    if (const cudaError_t error = injected("cudaMallocHost")) return error;
    return allocate(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
    return release(memory);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
    if (const cudaError_t error = injected("cudaMemcpyAsync")) return error;
    if (is_managed(source)) {
        enqueue(stream, [=] { std::memcpy(destination, source, bytes); });
        return cudaSuccess;
    }
    // A pageable source is staged before the call returns.
    const char* first = static_cast<const char*>(source);
    const auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
    enqueue(stream, [=] { std::memcpy(destination, staged->data(), bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, size_t bytes, cudaStream_t stream) {
    if (const cudaError_t error = injected("cudaMemsetAsync")) return error;
    enqueue(stream, [=] { std::memset(memory, byte, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    if (const cudaError_t error = injected("cudaStreamCreateWithFlags")) return error;
    *stream = static_cast<cudaStream_t>(longhaul::host_cuda::create_stream());
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    longhaul::host_cuda::destroy_stream(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = injected("cudaStreamSynchronize")) return error;
    drain(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (event_of(event).is_recorded) enqueue(stream, [=] { reach(event_of(event)); });
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = reinterpret_cast<cudaEvent_t>(new Event);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    drain_all();  // a stream may still have to pass it
    delete &event_of(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event_of(event) = {stream, true, false};
    enqueue(stream, [=] { event_of(event).is_done = true; });
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    reach(event_of(event));
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event_of(event).is_done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 1.0f;
    return cudaSuccess;
}

}  // extern "C"
