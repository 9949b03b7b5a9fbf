// SPDX-License-Identifier: BSD-3-Clause
// kernels::cuda in a build without nvcc: every op says so. Never reached by way of lib/gpu, which
// lets no CUDA stream come into being then.
#include "kernels/adamw.h"
#include "kernels/attention.h"
#include "kernels/cast.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/gelu.h"
#include "kernels/layernorm.h"
#include "kernels/matmul.h"
#include "kernels/reduce.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
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
void attention_backward(Stream&, const AttentionBackwardArgs&) {
    unavailable();
}
void attention_forward(Stream&, const AttentionForwardArgs&) {
    unavailable();
}
void cast(Stream&, const CastArgs&) {
    unavailable();
}
void cross_entropy(Stream&, const CrossEntropyArgs&) {
    unavailable();
}
void embedding_backward(Stream&, const EmbeddingBackwardArgs&) {
    unavailable();
}
void embedding_forward(Stream&, const EmbeddingForwardArgs&) {
    unavailable();
}
void gelu_backward(Stream&, const GeluBackwardArgs&) {
    unavailable();
}
void gelu_forward(Stream&, const GeluForwardArgs&) {
    unavailable();
}
void layernorm_backward(Stream&, const LayerNormBackwardArgs&) {
    unavailable();
}
void layernorm_forward(Stream&, const LayerNormForwardArgs&) {
    unavailable();
}
void matmul(Stream&, const MatmulArgs&) {
    unavailable();
}
void rmsnorm_backward(Stream&, const RmsNormBackwardArgs&) {
    unavailable();
}
void rmsnorm_forward(Stream&, const RmsNormForwardArgs&) {
    unavailable();
}
void rope(Stream&, const RopeArgs&) {
    unavailable();
}
void sum_rows(Stream&, const SumRowsArgs&) {
    unavailable();
}
void swiglu_backward(Stream&, const SwigluBackwardArgs&) {
    unavailable();
}
void swiglu_forward(Stream&, const SwigluForwardArgs&) {
    unavailable();
}
size_t attention_scratch_bytes(const AttentionShape&, bool) {
    unavailable();
}
size_t rmsnorm_backward_scratch_bytes(tensor::DType, int64_t, int64_t) {
    unavailable();
}

}  // namespace longhaul::kernels::cuda
