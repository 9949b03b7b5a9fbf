// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/threads.h"

#include <omp.h>

#include <algorithm>

namespace longhaul::kernels {

void set_num_threads(int num_threads) {
    omp_set_num_threads(std::max(1, num_threads));
}

}  // namespace longhaul::kernels
