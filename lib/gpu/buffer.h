// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Device memory and page-locked host memory as move-only owners, and the copies between them.
// Allocation is for start-up: no buffer is made or freed inside a training step.

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "lib/gpu/stream.h"

namespace longhaul::gpu {

namespace detail {

/// @throws GpuError naming the size when the device is out of memory. 0 bytes: null.
void* allocate_device(size_t bytes);
void free_device(void* memory) noexcept;
void* allocate_pinned(size_t bytes);
void free_pinned(void* memory) noexcept;
/// Any direction: the runtime knows from the addresses.
void copy_async(void* destination, const void* source, size_t bytes, const CudaStream& stream);
void fill_async(void* destination, int byte, size_t bytes, const CudaStream& stream);

/// An array of T; Allocate and Free are one of the pairs above.
template <class T, void* (*Allocate)(size_t), void (*Free)(void*) noexcept>
class [[nodiscard]] Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

 public:
    Buffer() = default;
    /// `count` elements, uninitialised.
    explicit Buffer(size_t count)
        : data_(static_cast<T*>(Allocate(count * sizeof(T)))), size_(count) {}
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { Free(data_); }

    T* data() const { return data_; }
    size_t size() const { return size_; }
    size_t size_bytes() const { return size_ * sizeof(T); }

 private:
    T* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace detail

/// Device memory, 256-byte aligned. The host must not touch data(). Freeing waits for the device.
template <class T>
using DeviceBuffer = detail::Buffer<T, detail::allocate_device, detail::free_device>;

/// Page-locked host memory: copies to and from the device run beside the host and at full speed.
template <class T>
using PinnedBuffer = detail::Buffer<T, detail::allocate_pinned, detail::free_pinned>;

/// Queues a copy of all of `source` to the start of `destination`; the caller keeps `source` alive
/// and unchanged until the stream has passed it (a pageable source is staged before this returns).
template <class T>
void copy_to_device(const DeviceBuffer<T>& destination, std::span<const T> source,
                    const CudaStream& stream) {
    detail::copy_async(destination.data(), source.data(), source.size_bytes(), stream);
}

/// Queues a copy of the first destination.size() elements; valid after stream.synchronize().
template <class T>
void copy_to_host(std::span<T> destination, const DeviceBuffer<T>& source,
                  const CudaStream& stream) {
    detail::copy_async(destination.data(), source.data(), destination.size_bytes(), stream);
}

template <class T>
void fill_zero(const DeviceBuffer<T>& buffer, const CudaStream& stream) {
    detail::fill_async(buffer.data(), 0, buffer.size_bytes(), stream);
}

}  // namespace longhaul::gpu
