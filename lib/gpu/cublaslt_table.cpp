// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/cublaslt_table.h"

#include "lib/base/error.h"
#include "lib/gpu/shared_library.h"

namespace longhaul::gpu {

namespace {

struct LoadedCublasLt {
    LoadedCublasLt()
        : library(SharedLibrary::open("LONGHAUL_CUBLASLT",
                                      {"libcublasLt.so.13", "libcublasLt.so.12"})) {
#define LH_GPU_BIND(function) library.bind(table.function, #function);
        LH_CUBLASLT_FUNCTIONS(LH_GPU_BIND)
#undef LH_GPU_BIND
    }
    SharedLibrary library;
    CublasLt table;
};

}  // namespace

const CublasLt& cublaslt() {
    static const LoadedCublasLt loaded;
    return loaded.table;
}

void check_cublaslt(cublasStatus_t status, const char* call, const char* file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw GpuError(format("{}: {} ({}) ({}:{})", call, cublaslt().cublasLtGetStatusString(status),
                          static_cast<int>(status), file, line));
}

}  // namespace longhaul::gpu
