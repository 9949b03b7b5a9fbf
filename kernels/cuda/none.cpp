// SPDX-License-Identifier: BSD-3-Clause
// kernels::cuda in a build without nvcc: every op says so. Never reached by way of lib/gpu, which
// lets no CUDA stream come into being then.
#include "kernels/adamw.h"
#include "kernels/cross_entropy.h"
#include "kernels/matmul.h"
#include "kernels/rmsnorm.h"
#include "lib/base/error.h"
#include "lib/gpu/no_cuda.h"

namespace longhaul::kernels::cuda {

namespace {
[[noreturn]] void unavailable() {
    throw GpuError(gpu::kBuiltWithoutCuda);
}
}  // namespace

void adamw(Stream&, const AdamWArgs&) {
    unavailable();
}
void cross_entropy(Stream&, const CrossEntropyArgs&) {
    unavailable();
}
void matmul(Stream&, const MatmulArgs&) {
    unavailable();
}
void rmsnorm_forward(Stream&, const RmsNormForwardArgs&) {
    unavailable();
}
void rmsnorm_backward(Stream&, const RmsNormBackwardArgs&) {
    unavailable();
}
size_t rmsnorm_backward_scratch_bytes(tensor::DType, int64_t, int64_t) {
    unavailable();
}

}  // namespace longhaul::kernels::cuda
