// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tensor operations by device: each call goes to the CPU or the CUDA kernel of the same name
// (kernels/<op>.h has the meaning and the rules of the arguments). The only callers of kernels.

#include "kernels/adamw.h"
#include "kernels/attention.h"
#include "kernels/cast.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/gelu.h"
#include "kernels/head_norm.h"
#include "kernels/layernorm.h"
#include "kernels/matmul.h"
#include "kernels/reduce.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "kernels/stream.h"
#include "kernels/swiglu.h"

namespace longhaul::ops {

using kernels::Stream;

/// All: @throws GpuError when the stream is a CUDA stream and the operation has no CUDA kernel, or
/// the build has none at all.
void adamw(Stream& stream, const kernels::AdamWArgs& args);
void attention_forward(Stream& stream, const kernels::AttentionForwardArgs& args);
void attention_backward(Stream& stream, const kernels::AttentionBackwardArgs& args);
void cast(Stream& stream, const kernels::CastArgs& args);
void cross_entropy(Stream& stream, const kernels::CrossEntropyArgs& args);
void embedding_forward(Stream& stream, const kernels::EmbeddingForwardArgs& args);
void embedding_backward(Stream& stream, const kernels::EmbeddingBackwardArgs& args);
void gelu_forward(Stream& stream, const kernels::GeluForwardArgs& args);
void gelu_backward(Stream& stream, const kernels::GeluBackwardArgs& args);
void head_norm_forward(Stream& stream, const kernels::HeadNormForwardArgs& args);
void head_norm_backward(Stream& stream, const kernels::HeadNormBackwardArgs& args);
void layernorm_forward(Stream& stream, const kernels::LayerNormForwardArgs& args);
void layernorm_backward(Stream& stream, const kernels::LayerNormBackwardArgs& args);
void matmul(Stream& stream, const kernels::MatmulArgs& args);
void rmsnorm_forward(Stream& stream, const kernels::RmsNormForwardArgs& args);
void rmsnorm_backward(Stream& stream, const kernels::RmsNormBackwardArgs& args);
void rope(Stream& stream, const kernels::RopeArgs& args);
void sum_rows(Stream& stream, const kernels::SumRowsArgs& args);
void sum_squares(Stream& stream, const kernels::SumSquaresArgs& args);
void swiglu_forward(Stream& stream, const kernels::SwigluForwardArgs& args);
void swiglu_backward(Stream& stream, const kernels::SwigluBackwardArgs& args);

/// Scratch that the operations need on the device of `stream`, in bytes.
size_t attention_scratch_bytes(const Stream& stream, const kernels::AttentionShape& shape,
                               bool backward);
size_t rmsnorm_backward_scratch_bytes(const Stream& stream, tensor::DType dtype, int64_t rows,
                                      int64_t columns);

}  // namespace longhaul::ops
