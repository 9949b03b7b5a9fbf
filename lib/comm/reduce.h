// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reduction under every transport: element by element in rank order, so that its result does
// not depend on timing or transport.

#include <cstdint>
#include <span>

#include "lib/comm/comm.h"

namespace longhaul::comm {

/// out[i] = op(op(sources[0][i], sources[1][i]), ...). `out` may be one of the sources.
/// bf16 is summed in fp32 and rounded once. Max and min pass a NaN on.
/// @throws Error for a type without arithmetic here (u8, u16, f16).
void reduce_in_order(Op op, tensor::DType dtype, std::span<const void* const> sources, void* out,
                     int64_t count);

}  // namespace longhaul::comm
