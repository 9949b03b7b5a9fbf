// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/nccl_table.h"

#include "lib/base/error.h"
#include "lib/gpu/shared_library.h"

namespace longhaul::gpu {

namespace {

struct LoadedNccl {
    LoadedNccl() : library(SharedLibrary::open("LONGHAUL_NCCL", {"libnccl.so.2"})) {
#define LH_GPU_BIND(function) library.bind(table.function, #function);
        LH_NCCL_FUNCTIONS(LH_GPU_BIND)
#undef LH_GPU_BIND
    }
    SharedLibrary library;
    Nccl table;
};

}  // namespace

const Nccl& nccl() {
    static const LoadedNccl loaded;
    return loaded.table;
}

void check_nccl(ncclResult_t result, const char* call, const char* file, int line) {
    if (result == ncclSuccess || result == ncclInProgress) return;
    throw CommError(format("{}: {}: {} ({}:{})", call, nccl().ncclGetErrorString(result),
                           nccl().ncclGetLastError(nullptr), file, line));
}

}  // namespace longhaul::gpu
