// SPDX-License-Identifier: BSD-3-Clause
// Choice of the backend by the stream's device.

#include "lib/ops/ops.h"

#include "lib/base/error.h"

namespace longhaul::ops {
namespace {

namespace cpu = kernels::cpu;
namespace cuda = kernels::cuda;

template <class Args>
using Kernel = void (*)(Stream&, const Args&);

template <class Args>
void launch(const char* name, Kernel<Args> on_cpu, Kernel<Args> on_cuda, Stream& stream,
            const Args& args) {
    if (stream.device() == kernels::Device::kCpu) return on_cpu(stream, args);
    if (on_cuda == nullptr) {
        throw GpuError(format("{} has no CUDA kernel yet: run it on the CPU", name));
    }
    on_cuda(stream, args);
}

/// An operation that has a CPU kernel only.
template <class Args>
void launch(const char* name, Kernel<Args> on_cpu, Stream& stream, const Args& args) {
    launch<Args>(name, on_cpu, nullptr, stream, args);
}

}  // namespace

void adamw(Stream& stream, const kernels::AdamWArgs& args) {
    launch("adamw", cpu::adamw, cuda::adamw, stream, args);
}

void attention_forward(Stream& stream, const kernels::AttentionForwardArgs& args) {
    launch("attention_forward", cpu::attention_forward, cuda::attention_forward, stream, args);
}

void attention_backward(Stream& stream, const kernels::AttentionBackwardArgs& args) {
    launch("attention_backward", cpu::attention_backward, cuda::attention_backward, stream, args);
}

void cast(Stream& stream, const kernels::CastArgs& args) {
    launch("cast", cpu::cast, cuda::cast, stream, args);
}

void cross_entropy(Stream& stream, const kernels::CrossEntropyArgs& args) {
    launch("cross_entropy", cpu::cross_entropy, cuda::cross_entropy, stream, args);
}

void embedding_forward(Stream& stream, const kernels::EmbeddingForwardArgs& args) {
    launch("embedding_forward", cpu::embedding_forward, cuda::embedding_forward, stream, args);
}

void embedding_backward(Stream& stream, const kernels::EmbeddingBackwardArgs& args) {
    launch("embedding_backward", cpu::embedding_backward, cuda::embedding_backward, stream, args);
}

void gelu_forward(Stream& stream, const kernels::GeluForwardArgs& args) {
    launch("gelu_forward", cpu::gelu_forward, cuda::gelu_forward, stream, args);
}

void gelu_backward(Stream& stream, const kernels::GeluBackwardArgs& args) {
    launch("gelu_backward", cpu::gelu_backward, cuda::gelu_backward, stream, args);
}

void head_norm_forward(Stream& stream, const kernels::HeadNormForwardArgs& args) {
    launch("head_norm_forward", cpu::head_norm_forward, stream, args);
}

void head_norm_backward(Stream& stream, const kernels::HeadNormBackwardArgs& args) {
    launch("head_norm_backward", cpu::head_norm_backward, stream, args);
}

void layernorm_forward(Stream& stream, const kernels::LayerNormForwardArgs& args) {
    launch("layernorm_forward", cpu::layernorm_forward, cuda::layernorm_forward, stream, args);
}

void layernorm_backward(Stream& stream, const kernels::LayerNormBackwardArgs& args) {
    launch("layernorm_backward", cpu::layernorm_backward, cuda::layernorm_backward, stream, args);
}

void matmul(Stream& stream, const kernels::MatmulArgs& args) {
    launch("matmul", cpu::matmul, cuda::matmul, stream, args);
}

void rmsnorm_forward(Stream& stream, const kernels::RmsNormForwardArgs& args) {
    launch("rmsnorm_forward", cpu::rmsnorm_forward, cuda::rmsnorm_forward, stream, args);
}

void rmsnorm_backward(Stream& stream, const kernels::RmsNormBackwardArgs& args) {
    launch("rmsnorm_backward", cpu::rmsnorm_backward, cuda::rmsnorm_backward, stream, args);
}

void rope(Stream& stream, const kernels::RopeArgs& args) {
    launch("rope", cpu::rope, cuda::rope, stream, args);
}

void sum_rows(Stream& stream, const kernels::SumRowsArgs& args) {
    launch("sum_rows", cpu::sum_rows, cuda::sum_rows, stream, args);
}

void sum_squares(Stream& stream, const kernels::SumSquaresArgs& args) {
    launch("sum_squares", cpu::sum_squares, stream, args);
}

void swiglu_forward(Stream& stream, const kernels::SwigluForwardArgs& args) {
    launch("swiglu_forward", cpu::swiglu_forward, cuda::swiglu_forward, stream, args);
}

void swiglu_backward(Stream& stream, const kernels::SwigluBackwardArgs& args) {
    launch("swiglu_backward", cpu::swiglu_backward, cuda::swiglu_backward, stream, args);
}

size_t attention_scratch_bytes(const Stream& stream, const kernels::AttentionShape& shape,
                               bool backward) {
    return stream.device() == kernels::Device::kCpu
               ? cpu::attention_scratch_bytes(shape, backward)
               : cuda::attention_scratch_bytes(shape, backward);
}

size_t rmsnorm_backward_scratch_bytes(const Stream& stream, tensor::DType dtype, int64_t rows,
                                      int64_t columns) {
    const bool on_cpu = stream.device() == kernels::Device::kCpu;
    return on_cpu ? cpu::rmsnorm_backward_scratch_bytes(dtype, rows, columns)
                  : cuda::rmsnorm_backward_scratch_bytes(dtype, rows, columns);
}

}  // namespace longhaul::ops
