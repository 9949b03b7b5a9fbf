// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// NCCL, loaded at first use: nodes without it run the same binary. The toolkit's header gives the
// exact types; built only where it exists. Check handles yourself: NCCL 2.28 crashes on a null
// communicator.

#include <nccl.h>

namespace longhaul::gpu {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): one list makes the members and their loading.
#define LH_NCCL_FUNCTIONS(X)  \
    X(ncclGetVersion)         \
    X(ncclGetErrorString)     \
    X(ncclGetLastError)       \
    X(ncclGetUniqueId)        \
    X(ncclCommInitRankConfig) \
    X(ncclCommFinalize)       \
    X(ncclCommDestroy)        \
    X(ncclCommAbort)          \
    X(ncclCommGetAsyncError)  \
    X(ncclCommCount)          \
    X(ncclCommUserRank)       \
    X(ncclCommSplit)          \
    X(ncclAllReduce)          \
    X(ncclReduceScatter)      \
    X(ncclAllGather)          \
    X(ncclBroadcast)          \
    X(ncclSend)               \
    X(ncclRecv)               \
    X(ncclGroupStart)         \
    X(ncclGroupEnd)

struct Nccl {
#define LH_GPU_MEMBER(function) decltype(&::function) function = nullptr;
    LH_NCCL_FUNCTIONS(LH_GPU_MEMBER)
#undef LH_GPU_MEMBER
};

/// The table, loaded once a process from libnccl.so.2 or from the file that LONGHAUL_NCCL names.
/// @throws GpuError naming the library or the missing function.
const Nccl& nccl();

/// ncclInProgress (a communicator in non-blocking mode) is not an error here.
/// @throws CommError "CALL: text: NCCL's last message (file:line)".
void check_nccl(ncclResult_t result, const char* call, const char* file, int line);

}  // namespace longhaul::gpu

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): needs the text and place of the call.
#define LH_NCCL(call) ::longhaul::gpu::check_nccl((call), #call, __FILE__, __LINE__)
