// SPDX-License-Identifier: BSD-3-Clause
// lib/gpu on host memory and deferring streams: what host kernel tests link on a machine without a
// CUDA toolkit. With a toolkit they use the real lib/gpu over cudart.cpp, which checks more.
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "lib/gpu/buffer.h"
#include "tests/gpu/host_cuda/stream_queue.h"

namespace longhaul::gpu {

namespace detail {

void StreamTraits::close(Handle handle) noexcept {
    host_cuda::destroy_stream(handle);
}
void EventTraits::close(Handle handle) noexcept {
    delete static_cast<void**>(handle);
}

void* allocate_device(size_t bytes) {
    void* memory = nullptr;
    if (bytes == 0) return nullptr;
    if (posix_memalign(&memory, 256, bytes) != 0) throw GpuError("out of memory");
    std::memset(memory, 0xFF, bytes);
    return memory;
}
void free_device(void* memory) noexcept {
    host_cuda::drain_all();
    std::free(memory);
}
void* allocate_pinned(size_t bytes) {
    return allocate_device(bytes);
}
void free_pinned(void* memory) noexcept {
    free_device(memory);
}

void copy_async(void* destination, const void* source, size_t bytes, const CudaStream& stream) {
    if (bytes == 0) return;
    host_cuda::enqueue(stream.native(), [=] { std::memcpy(destination, source, bytes); });
}
void fill_async(void* destination, int byte, size_t bytes, const CudaStream& stream) {
    if (bytes == 0) return;
    host_cuda::enqueue(stream.native(), [=] { std::memset(destination, byte, bytes); });
}

}  // namespace detail

// An event here is the stream it was recorded on: waiting for it runs that whole stream.
CudaEvent::CudaEvent(Timing) {
    handle_.reset(new void*(nullptr));
}
void CudaEvent::record(const CudaStream& stream) {
    *static_cast<void**>(handle_.get()) = stream.native();
}
void CudaEvent::synchronize() const {
    host_cuda::drain(*static_cast<void**>(handle_.get()));
}
bool CudaEvent::is_done() const {
    return host_cuda::is_idle(*static_cast<void**>(handle_.get()));
}
double CudaEvent::elapsed_ms(const CudaEvent&) const {
    return 1;
}

CudaStream::CudaStream() {
    handle_.reset(host_cuda::create_stream());
}
void CudaStream::synchronize() const {
    host_cuda::drain(native());
}
void CudaStream::wait(const CudaEvent& event) {
    void* const awaited = *static_cast<void**>(event.native());
    host_cuda::enqueue(native(), [=] { host_cuda::drain(awaited); });
}

}  // namespace longhaul::gpu
