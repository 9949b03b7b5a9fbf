// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Scratch of the attention kernels: elements per thread, the same on every instruction set.

#include <cstdint>

#include "kernels/attention.h"

namespace longhaul::kernels::cpu {

inline constexpr int64_t kAttentionTile = 64;  // queries and keys of a tile
inline constexpr int64_t kAttentionPad = 32;   // head_dim is padded to whole register tiles

constexpr int64_t round_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Accumulator elements that one thread needs.
constexpr int64_t attention_forward_elements(const AttentionShape& shape) {
    const int64_t padded = round_up(shape.head_dim, kAttentionPad);
    return kAttentionTile * (5 * padded + kAttentionTile) + 4 * kAttentionTile;
}

constexpr int64_t attention_backward_elements(const AttentionShape& shape) {
    const int64_t padded = round_up(shape.head_dim, kAttentionPad);
    const int64_t length = round_up(shape.query_len, kAttentionTile);
    return 7 * length * padded + 2 * length + kAttentionTile * (2 * padded + 2 * kAttentionTile) +
           2 * padded;
}

/// @throws Error (invariant) naming what does not fit.
void check_attention(const AttentionShape& shape, size_t scratch_bytes, bool backward);

}  // namespace longhaul::kernels::cpu
