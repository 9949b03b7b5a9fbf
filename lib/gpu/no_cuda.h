// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What every *_none.cpp of a build without nvcc answers.

namespace longhaul::gpu {

inline constexpr const char* kBuiltWithoutCuda =
    "no GPU: this program was built without CUDA (meson -Dgpu)";

}  // namespace longhaul::gpu
