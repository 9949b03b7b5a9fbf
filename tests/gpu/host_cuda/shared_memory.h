// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The dynamic shared memory of a block: exactly as large as the launch asked for.

#include <cstddef>
#include <memory>

#include "tests/gpu/host_cuda/guarded_memory.h"

namespace longhaul::host_cuda {

/// Ends at a guard page; under AddressSanitizer it is a heap block, which names the access.
class SharedMemory {
 public:
    explicit SharedMemory(size_t bytes);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    void* data() const { return data_; }
    /// All bits one: NaN in every floating type, so that a read before a write shows.
    void fill_with_nan();
    /// Null under AddressSanitizer or when there is none.
    const GuardedMemory* guarded() const { return guarded_.get(); }

 private:
    size_t bytes_;
    std::unique_ptr<GuardedMemory> guarded_;
    void* heap_ = nullptr;
    void* data_ = nullptr;
};

}  // namespace longhaul::host_cuda
