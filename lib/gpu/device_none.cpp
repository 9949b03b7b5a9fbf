// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/device.h"

#include "lib/base/error.h"
#include "lib/gpu/no_cuda.h"

namespace longhaul::gpu {

DeviceSurvey survey_devices() {
    return {{}, kBuiltWithoutCuda};
}

void select_device(int) {
    throw GpuError(kBuiltWithoutCuda);
}

}  // namespace longhaul::gpu
