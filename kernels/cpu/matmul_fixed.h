// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Our own blocked GEMM: any of the three types, every sum in order of k (kernels/matmul.h).

#include "kernels/matmul.h"

namespace longhaul::kernels::cpu {

void matmul_fixed_order(const MatmulArgs& args);

}  // namespace longhaul::kernels::cpu
