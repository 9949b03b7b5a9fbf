// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Softmax cross-entropy, forward and backward in one pass over the logits, in place.
//   loss[r] = log(sum_v exp(logits[r, v])) - logits[r, target[r]]
//   logits[r, v] <- (softmax(logits[r])[v] - [v == target[r]]) * grad_scale
//
// Columns [vocab, padded_vocab) are padding: never read, gradient exactly 0. A row whose target is
// ignore_index has loss 0 and gradient 0. A target outside [0, vocab) that is not ignore_index
// makes the row's loss and gradient NaN: a kernel cannot throw, and the guard on non-finite values
// fires.
//
// Types: logits f32, bf16 or f64; losses f32, for f64 logits f64; sums are formed in that type or
// wider. CUDA: logits are 16-byte aligned and padded_vocab * size_of(dtype) is a multiple of 16.
// Determinism: bit-equal for equal arguments, for any number of threads.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct CrossEntropyArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;                  // R: tokens
    int64_t vocab = 0;                 // V: real classes
    int64_t padded_vocab = 0;          // Vp >= V: row stride of logits, in elements
    void* logits = nullptr;            // (R, Vp), replaced by the gradient if want_grad
    const int32_t* targets = nullptr;  // (R)
    int32_t ignore_index = -100;
    void* losses = nullptr;   // (R), written
    double grad_scale = 1.0;  // usually 1 / (global number of valid targets)
    bool want_grad = true;    // false: logits stay as they are (validation)
};

namespace cpu {
void cross_entropy(Stream& stream, const CrossEntropyArgs& args);
}

namespace cuda {
void cross_entropy(Stream& stream, const CrossEntropyArgs& args);
}

}  // namespace longhaul::kernels
