// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// cuDNN's backend API (graphs of operations), loaded at first use. The toolkit's header gives the
// exact types; built only where it exists.

#include <cudnn.h>
#include <cudnn_backend.h>

namespace longhaul::gpu {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one list makes the members and their loading.
#define LH_CUDNN_FUNCTIONS(X)        \
    X(cudnnGetVersion)               \
    X(cudnnGetErrorString)           \
    X(cudnnGetLastErrorString)       \
    X(cudnnCreate)                   \
    X(cudnnDestroy)                  \
    X(cudnnSetStream)                \
    X(cudnnBackendCreateDescriptor)  \
    X(cudnnBackendDestroyDescriptor) \
    X(cudnnBackendSetAttribute)      \
    X(cudnnBackendGetAttribute)      \
    X(cudnnBackendFinalize)          \
    X(cudnnBackendExecute)

struct Cudnn {
#define LH_GPU_MEMBER(function) decltype(&::function) function = nullptr;
    LH_CUDNN_FUNCTIONS(LH_GPU_MEMBER)
#undef LH_GPU_MEMBER
};

/// The table, loaded once a process from libcudnn.so.9 or from the file that LONGHAUL_CUDNN names.
/// @throws GpuError naming the library or the missing function.
const Cudnn& cudnn();

/// @throws GpuError "CALL: text (file:line)" unless `status` is success.
void check_cudnn(cudnnStatus_t status, const char* call, const char* file, int line);

}  // namespace longhaul::gpu

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): needs the text and place of the call.
#define LH_CUDNN(call) ::longhaul::gpu::check_cudnn((call), #call, __FILE__, __LINE__)
