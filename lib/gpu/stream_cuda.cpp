// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/cuda_check.h"
#include "lib/gpu/stream.h"

namespace longhaul::gpu {

namespace {

cudaStream_t native_of(const CudaStream& stream) {
    return static_cast<cudaStream_t>(stream.native());
}
cudaEvent_t native_of(const CudaEvent& event) {
    return static_cast<cudaEvent_t>(event.native());
}

}  // namespace

// A destructor cannot report: an error left by earlier work is still seen by the next checked call.
void detail::StreamTraits::close(Handle handle) noexcept {
    cudaStreamDestroy(static_cast<cudaStream_t>(handle));
}
void detail::EventTraits::close(Handle handle) noexcept {
    cudaEventDestroy(static_cast<cudaEvent_t>(handle));
}

CudaEvent::CudaEvent(Timing timing) {
    cudaEvent_t event = nullptr;
    LH_CUDA(cudaEventCreateWithFlags(
        &event, timing == Timing::kOn ? cudaEventDefault : cudaEventDisableTiming));
    handle_.reset(event);
}

void CudaEvent::record(const CudaStream& stream) {
    LH_CUDA(cudaEventRecord(native_of(*this), native_of(stream)));
}

void CudaEvent::synchronize() const {
    LH_CUDA(cudaEventSynchronize(native_of(*this)));
}

bool CudaEvent::is_done() const {
    const cudaError_t state = cudaEventQuery(native_of(*this));
    if (state == cudaErrorNotReady) return false;
    LH_CUDA_NAMED(state, "cudaEventQuery");
    return true;
}

double CudaEvent::elapsed_ms(const CudaEvent& start) const {
    float milliseconds = 0;
    LH_CUDA(cudaEventElapsedTime(&milliseconds, native_of(start), native_of(*this)));
    return milliseconds;
}

CudaStream::CudaStream() {
    cudaStream_t stream = nullptr;
    LH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    handle_.reset(stream);
}

void CudaStream::synchronize() const {
    LH_CUDA(cudaStreamSynchronize(native_of(*this)));
}

void CudaStream::wait(const CudaEvent& event) {
    LH_CUDA(cudaStreamWaitEvent(native_of(*this), native_of(event), 0));
}

}  // namespace longhaul::gpu
