// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/stream.h"

#include "lib/base/error.h"
#include "lib/gpu/no_cuda.h"

// The constructors throw, so no object exists whose other members could be called.
namespace longhaul::gpu {

void detail::StreamTraits::close(Handle) noexcept {}
void detail::EventTraits::close(Handle) noexcept {}

CudaEvent::CudaEvent(Timing) {
    throw GpuError(kBuiltWithoutCuda);
}
void CudaEvent::record(const CudaStream&) {}
void CudaEvent::synchronize() const {}
bool CudaEvent::is_done() const {
    return true;
}
double CudaEvent::elapsed_ms(const CudaEvent&) const {
    return 0;
}

CudaStream::CudaStream() {
    throw GpuError(kBuiltWithoutCuda);
}
void CudaStream::synchronize() const {}
void CudaStream::wait(const CudaEvent&) {}

}  // namespace longhaul::gpu
