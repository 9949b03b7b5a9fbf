// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/cudnn_table.h"

#include "lib/base/error.h"
#include "lib/gpu/shared_library.h"

namespace longhaul::gpu {

namespace {

struct LoadedCudnn {
    LoadedCudnn() : library(SharedLibrary::open("LONGHAUL_CUDNN", {"libcudnn.so.9"})) {
#define LH_GPU_BIND(function) library.bind(table.function, #function);
        LH_CUDNN_FUNCTIONS(LH_GPU_BIND)
#undef LH_GPU_BIND
    }
    SharedLibrary library;
    Cudnn table;
};

}  // namespace

const Cudnn& cudnn() {
    static const LoadedCudnn loaded;
    return loaded.table;
}

void check_cudnn(cudnnStatus_t status, const char* call, const char* file, int line) {
    if (status == CUDNN_STATUS_SUCCESS) return;
    throw GpuError(format("{}: {} ({}:{})", call, cudnn().cudnnGetErrorString(status), file, line));
}

}  // namespace longhaul::gpu
