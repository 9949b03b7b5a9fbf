// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One AdamW step on a run of elements of one tensor, with optional rounding of the new master
// weights to bf16.
//   g = grad * grad_scale
//   m = beta1 * m + (1 - beta1) * g;   v = beta2 * v + (1 - beta2) * g^2
//   master -= learning_rate * (m * c1 / (sqrt(v * c2) + epsilon) + weight_decay * master)
//   with c1 = 1 / (1 - beta1^step), c2 = 1 / (1 - beta2^step)
// Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2 (with
// the decay multiplied by the learning rate, as PyTorch does).
//
// Types: master, m and v are `state_dtype` (f32 or f64); grad is f32, bf16 or f64 (f64 only with
// f64 state). Alignment: natural. Determinism: element-wise, hence bit-equal for any threads and
// layout.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/base/philox.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

enum class Rounding : uint8_t { kNearestEven, kStochastic };

struct AdamWArgs {
    tensor::DType state_dtype = tensor::DType::kF32;
    tensor::DType grad_dtype = tensor::DType::kF32;
    int64_t count = 0;                    // elements in this run
    const void* grad = nullptr;           // (count)
    void* master = nullptr;               // (count), updated
    void* m = nullptr;                    // (count), updated
    void* v = nullptr;                    // (count), updated
    tensor::BFloat16* weights = nullptr;  // (count), written: the rounded new master; or null
    double learning_rate = 0, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0;
    double grad_scale = 1;  // clipping and loss scale in one factor
    uint32_t step = 1;      // 1 for the first update: bias correction and random key
    // Stochastic rounding is keyed by the element's place in its tensor, never by rank or layout.
    Rounding rounding = Rounding::kNearestEven;
    uint64_t seed = 0;
    uint64_t tensor_stream = 0;  // tells tensors apart: hash of the tensor's name
    int64_t first_element = 0;   // row-major index in the global tensor of element 0 of this run
};

/// The 128 random bits that elements [8 * group, 8 * group + 8) of a tensor share.
LH_HOST_DEVICE inline PhiloxBlock rounding_block(uint64_t seed, uint64_t tensor_stream,
                                                 uint32_t step, uint64_t group) {
    return philox_draw({seed, RandomPurpose::kStochasticRounding, tensor_stream, step}, group);
}

/// The 16 bits in `block` of the element whose global index is `element`: the argument of
/// tensor::to_bf16_stochastic().
LH_HOST_DEVICE inline uint32_t rounding_bits(const PhiloxBlock& block, uint64_t element) {
    return block.word[(element & 7) >> 1] >> (16 * (element & 1)) & 0xFFFFu;
}

namespace cpu {
void adamw(Stream& stream, const AdamWArgs& args);
}

namespace cuda {
void adamw(Stream& stream, const AdamWArgs& args);
}

}  // namespace longhaul::kernels
