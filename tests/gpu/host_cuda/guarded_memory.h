// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Memory between two pages that cannot be touched.

#include <cstddef>

namespace longhaul::host_cuda {

/// `bytes` of memory. The last byte (rounded up to 16) lies right before a guard page, so that an
/// access behind it stops the program instead of changing something else.
class GuardedMemory {
 public:
    explicit GuardedMemory(size_t bytes);
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    void* data() const { return data_; }
    size_t size() const { return bytes_; }
    /// Whether `address` lies in a guard page. Safe in a signal handler.
    bool guards(const void* address) const;

 private:
    size_t bytes_;
    char* mapping_;
    size_t mapping_bytes_;
    char* data_;
};

}  // namespace longhaul::host_cuda
