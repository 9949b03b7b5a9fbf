// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packed rows [q | k | v] of the model as arguments of the attention kernels.

#include <cmath>

#include "kernels/attention.h"
#include "lib/model/config.h"
#include "lib/tensor/dtype.h"

namespace longhaul::model {

/// Pointer to `element` of a buffer of `dtype`.
inline void* element_at(void* data, tensor::DType dtype, int64_t element) {
    return static_cast<std::byte*>(data) + element * static_cast<int64_t>(tensor::size_of(dtype));
}
inline const void* element_at(const void* data, tensor::DType dtype, int64_t element) {
    return element_at(const_cast<void*>(data), dtype, element);
}

/// First column of the keys and of the values.
inline int64_t key_column(const ModelConfig& config) {
    return config.attention_columns();
}
inline int64_t value_column(const ModelConfig& config) {
    return (config.num_heads + config.num_kv_heads) * config.head_dim;
}

inline double attention_scale(const ModelConfig& config) {
    return 1 / std::sqrt(static_cast<double>(config.head_dim));
}

/// Rows of `columns` elements, seq_len of them a sequence.
inline kernels::HeadLayout rows_of(int64_t columns, int64_t seq_len) {
    return {seq_len * columns, columns};
}

inline kernels::AttentionShape attention_shape(const ModelConfig& config, tensor::DType dtype,
                                               int64_t batch, int64_t seq_len) {
    return {dtype,          batch, seq_len, seq_len, 0, config.num_heads, config.num_kv_heads,
            config.head_dim};
}

}  // namespace longhaul::model
