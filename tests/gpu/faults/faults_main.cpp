// SPDX-License-Identifier: BSD-3-Clause
// faults NAME: runs one wrong kernel in all schedules, prints what was noticed. Exit 0: nothing.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "tests/gpu/faults/faults.h"
#include "tests/gpu/host_cuda/scheduler.h"
#include "tests/gpu/host_cuda/stream_queue.h"

namespace {

using namespace longhaul;

std::vector<float> run(const char* name, host_cuda::Schedule schedule) {
    host_cuda::set_schedule(schedule);
    void* native = host_cuda::create_stream();
    kernels::Stream stream = kernels::Stream::cuda(native);
    std::vector<float> out(64, -1.0f);
    if (!kernels::cuda::faults::run(name, stream, out.data())) {
        throw std::runtime_error("no such fault");
    }
    host_cuda::destroy_stream(native);
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const auto forward = run(argv[1], host_cuda::Schedule::kForward);
        for (const float value : forward) {
            if (std::isnan(value)) {
                std::puts("noticed: NaN in the result");
                return 1;
            }
        }
        for (const auto schedule :
             {host_cuda::Schedule::kReverse, host_cuda::Schedule::kShuffled}) {
            if (run(argv[1], schedule) != forward) {
                std::puts("noticed: schedules differ");
                return 1;
            }
        }
    } catch (const std::exception& error) {
        std::printf("noticed: %s\n", error.what());
        return 1;
    }
    return 0;
}
