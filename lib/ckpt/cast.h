// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Changing the element type of stored values, where that has one right answer.

#include <cstddef>
#include <span>

#include "lib/tensor/dtype.h"

namespace longhaul::ckpt {

/// True for equal types, f32 <-> bf16, f32 <-> f16, f32 <-> f64 and bf16 -> f64.
bool can_cast(tensor::DType from, tensor::DType to);

/// Converts packed elements; narrowing rounds to nearest even.
/// @throws DataError when can_cast() says no.
void cast(tensor::DType from, std::span<const std::byte> in, tensor::DType to,
          std::span<std::byte> out);

}  // namespace longhaul::ckpt
