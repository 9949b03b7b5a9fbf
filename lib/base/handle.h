// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// UniqueHandle: RAII for C handles. A Traits gives the handle type, its null value and how to
// close.

#include <utility>

namespace longhaul {

/// Move-only owner of a C handle.
/// Traits: `using Handle = ...; static Handle null(); static void close(Handle) noexcept;`
/// Where a failed close loses data, the owner must offer an explicit close() that throws.
template <class Traits>
class [[nodiscard]] UniqueHandle {
 public:
    using Handle = typename Traits::Handle;

    UniqueHandle() = default;
    explicit UniqueHandle(Handle handle) : handle_(handle) {}
    UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
    UniqueHandle& operator=(UniqueHandle&& other) noexcept {
        reset(other.release());
        return *this;
    }
    UniqueHandle(const UniqueHandle&) = delete;
    UniqueHandle& operator=(const UniqueHandle&) = delete;
    ~UniqueHandle() { reset(); }

    Handle get() const { return handle_; }
    explicit operator bool() const { return handle_ != Traits::null(); }
    Handle release() noexcept { return std::exchange(handle_, Traits::null()); }
    void reset(Handle handle = Traits::null()) noexcept {
        const Handle old = std::exchange(handle_, handle);
        if (old != Traits::null() && old != handle) Traits::close(old);
    }

 private:
    Handle handle_ = Traits::null();
};

}  // namespace longhaul
