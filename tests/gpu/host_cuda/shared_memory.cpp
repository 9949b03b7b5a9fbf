// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/shared_memory.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/gpu/host_cuda/sanitizer.h"

namespace longhaul::host_cuda {

SharedMemory::SharedMemory(size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    if (sanitizer::guards_heap()) {
        if (posix_memalign(&heap_, 16, bytes) != 0) throw std::bad_alloc();
        data_ = heap_;
    } else {
        guarded_ = std::make_unique<GuardedMemory>(bytes);
        data_ = guarded_->data();
    }
}

SharedMemory::~SharedMemory() {
    std::free(heap_);
}

void SharedMemory::fill_with_nan() {
    if (bytes_ > 0) std::memset(data_, 0xFF, bytes_);
}

}  // namespace longhaul::host_cuda
