// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernel tests on GPU 0, or says why it can not.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "lib/gpu/device.h"

int main(int argc, char** argv) {
    constexpr int kSkipped = 77;
    const longhaul::gpu::DeviceSurvey survey = longhaul::gpu::survey_devices();
    if (survey.devices.empty()) {
        std::printf("skipped: %s\n", survey.reason.c_str());
        return kSkipped;
    }
    const longhaul::gpu::DeviceInfo& device = survey.devices.front();
    std::printf("on GPU 0: %s, compute capability %d.%d\n", device.name.c_str(),
                device.compute_major, device.compute_minor);
    return doctest::Context(argc, argv).run();
}
