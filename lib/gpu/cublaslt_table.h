// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// cuBLASLt, loaded at first use: linking it would cost every process 0.5 s and 210 MB (cublasLt's
// start-up, measured). The toolkit's header gives the exact types; built only where it exists.

#include <cublasLt.h>

namespace longhaul::gpu {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one list makes the members and their loading.
#define LH_CUBLASLT_FUNCTIONS(X)            \
    X(cublasLtGetVersion)                   \
    X(cublasLtGetStatusString)              \
    X(cublasLtCreate)                       \
    X(cublasLtDestroy)                      \
    X(cublasLtMatmulDescCreate)             \
    X(cublasLtMatmulDescDestroy)            \
    X(cublasLtMatmulDescSetAttribute)       \
    X(cublasLtMatrixLayoutCreate)           \
    X(cublasLtMatrixLayoutDestroy)          \
    X(cublasLtMatrixLayoutSetAttribute)     \
    X(cublasLtMatmulPreferenceCreate)       \
    X(cublasLtMatmulPreferenceDestroy)      \
    X(cublasLtMatmulPreferenceSetAttribute) \
    X(cublasLtMatmulAlgoGetHeuristic)       \
    X(cublasLtMatmul)

struct CublasLt {
#define LH_GPU_MEMBER(function) decltype(&::function) function = nullptr;
    LH_CUBLASLT_FUNCTIONS(LH_GPU_MEMBER)
#undef LH_GPU_MEMBER
};

/// The table, loaded once a process from libcublasLt.so.13 (or .12) or from the file that
/// LONGHAUL_CUBLASLT names. @throws GpuError naming the library or the missing function.
const CublasLt& cublaslt();

/// @throws GpuError "CALL: text (file:line)" unless `status` is success.
void check_cublaslt(cublasStatus_t status, const char* call, const char* file, int line);

}  // namespace longhaul::gpu

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): needs the text and place of the call.
#define LH_CUBLASLT(call) ::longhaul::gpu::check_cublaslt((call), #call, __FILE__, __LINE__)
