// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stream: where an op runs and after what. Opaque: no CUDA header is needed to pass one on.

#include <cstdint>

namespace longhaul::kernels {

enum class Device : uint8_t { kCpu, kCuda };

/// A non-owning handle of two words, copied freely. Work on one stream runs in order.
/// CPU: an op is finished when it returns; it uses the calling thread's OpenMP threads.
/// CUDA: an op is queued on the wrapped cudaStream_t and returns at once; its arguments' buffers
/// must live until the stream has passed it (lib/gpu owns streams, events and buffers).
class Stream {
 public:
    static Stream cpu() { return Stream(Device::kCpu, nullptr); }
    /// @param stream a cudaStream_t; ops never use the default stream by themselves.
    static Stream cuda(void* stream) { return Stream(Device::kCuda, stream); }

    Device device() const { return device_; }
    /// The cudaStream_t; null on the CPU.
    void* native() const { return native_; }

 private:
    Stream(Device device, void* native) : device_(device), native_(native) {}

    Device device_;
    void* native_;
};

}  // namespace longhaul::kernels
