// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace longhaul::host_cuda {

namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

constexpr size_t round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

GuardedMemory::GuardedMemory(size_t bytes) : bytes_(bytes) {
    const size_t usable = round_up(bytes, kPage);
    mapping_bytes_ = usable + 2 * kPage;
    void* mapping = mmap(nullptr, mapping_bytes_, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<char*>(mapping);
    if (mprotect(mapping_ + kPage, usable, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = mapping_ + kPage + usable - round_up(bytes, 16);
}

GuardedMemory::~GuardedMemory() {
    munmap(mapping_, mapping_bytes_);
}

bool GuardedMemory::guards(const void* address) const {
    const char* place = static_cast<const char*>(address);
    return place >= mapping_ && place < mapping_ + mapping_bytes_ &&
           (place < mapping_ + kPage || place >= mapping_ + mapping_bytes_ - kPage);
}

}  // namespace longhaul::host_cuda
