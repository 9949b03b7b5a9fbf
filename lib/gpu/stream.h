// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// CUDA streams and events as move-only owners. No CUDA header is needed to use them; without CUDA
// in the build every constructor throws GpuError. kernels::Stream::cuda(stream.native()) passes one
// on.

#include "lib/base/handle.h"

namespace longhaul::gpu {

namespace detail {
struct StreamTraits {
    using Handle = void*;  // cudaStream_t
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept;
};
struct EventTraits {
    using Handle = void*;  // cudaEvent_t
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept;
};
}  // namespace detail

class CudaStream;

/// A point in a stream's work.
class CudaEvent {
 public:
    enum class Timing { kOff, kOn };
    /// Timing makes recording slower; switch it on where elapsed_ms() is wanted.
    explicit CudaEvent(Timing timing = Timing::kOff);

    void record(const CudaStream& stream);
    /// Waits on the host until everything before record() is done.
    void synchronize() const;
    /// @return false while work before record() is still running.
    bool is_done() const;
    /// Milliseconds of GPU time since `start`; both were created with timing and are done.
    double elapsed_ms(const CudaEvent& start) const;

    void* native() const { return handle_.get(); }

 private:
    UniqueHandle<detail::EventTraits> handle_;
};

/// A queue of GPU work. Never the legacy default stream: it does not wait for that one either.
class CudaStream {
 public:
    CudaStream();

    /// Waits on the host for all work. @throws GpuError for a fault of a kernel that ran before.
    void synchronize() const;
    /// Later work in this stream waits, on the device, for `event`.
    void wait(const CudaEvent& event);

    void* native() const { return handle_.get(); }

 private:
    UniqueHandle<detail::StreamTraits> handle_;
};

}  // namespace longhaul::gpu
