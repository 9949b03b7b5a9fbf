// SPDX-License-Identifier: BSD-3-Clause
// cuBLASLt behind kernels::cuda::matmul(). cuBLASLt thinks in columns: our row-major C (M, N) is
// its column-major C^T (N, M), so it computes C^T = op(B)^T op(A)^T, with our B as its first
// operand.
#include <bit>
#include <map>
#include <tuple>

#include "kernels/cuda/matmul.h"
#include "kernels/cuda/require.h"
#include "lib/base/error.h"
#include "lib/base/handle.h"
#include "lib/gpu/buffer.h"
#include "lib/gpu/cublaslt_table.h"

namespace longhaul::kernels::cuda {

namespace {

using gpu::cublaslt;

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what NVIDIA advises for Hopper
constexpr size_t kMaxAlignment = 256;                 // more changes no choice of cuBLASLt

struct HandleTraits {
    using Handle = cublasLtHandle_t;
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept { cublaslt().cublasLtDestroy(handle); }
};
struct DescriptionTraits {
    using Handle = cublasLtMatmulDesc_t;
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept { cublaslt().cublasLtMatmulDescDestroy(handle); }
};
struct LayoutTraits {
    using Handle = cublasLtMatrixLayout_t;
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept { cublaslt().cublasLtMatrixLayoutDestroy(handle); }
};
struct PreferenceTraits {
    using Handle = cublasLtMatmulPreference_t;
    static Handle null() { return nullptr; }
    static void close(Handle handle) noexcept {
        cublaslt().cublasLtMatmulPreferenceDestroy(handle);
    }
};

cudaDataType type_of(tensor::DType dtype) {
    return dtype == tensor::DType::kBF16 ? CUDA_R_16BF : CUDA_R_32F;
}

size_t alignment_of(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer) | kMaxAlignment;
    return size_t{1} << std::countr_zero(address);
}

/// Everything that decides which algorithm is right. Pointers count by their alignment only.
using PlanKey = std::tuple<tensor::DType, tensor::DType, int64_t, int64_t, int64_t, bool, bool,
                           int64_t, int64_t, int64_t, bool, size_t, size_t, size_t>;

PlanKey key_of(const MatmulArgs& args) {
    return {args.dtype,
            args.out_dtype,
            args.m,
            args.n,
            args.k,
            args.transpose_a,
            args.transpose_b,
            args.lda,
            args.ldb,
            args.ldc,
            args.bias != nullptr,
            alignment_of(args.a),
            alignment_of(args.b),
            alignment_of(args.c)};
}

/// Descriptors and the algorithm of one shape. `accumulate` is the factor beta, no part of it.
class Plan {
 public:
    Plan(cublasLtHandle_t handle, const MatmulArgs& args);
    void run(cublasLtHandle_t handle, Stream& stream, const MatmulArgs& args,
             void* workspace) const;

 private:
    template <class Value>
    void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) const {
        LH_CUBLASLT(cublaslt().cublasLtMatmulDescSetAttribute(description_.get(), attribute, &value,
                                                              sizeof value));
    }
    void describe(const MatmulArgs& args);
    void choose_algorithm(cublasLtHandle_t handle, const MatmulArgs& args);

    UniqueHandle<DescriptionTraits> description_;
    UniqueHandle<LayoutTraits> first_, second_, out_;  // B, A and C as cuBLASLt sees them
    cublasLtMatmulAlgo_t algorithm_{};
};

/// The column-major view of a row-major matrix of `rows` and `columns`: its transpose.
UniqueHandle<LayoutTraits> transposed_layout(tensor::DType dtype, int64_t rows, int64_t columns,
                                             int64_t stride) {
    cublasLtMatrixLayout_t layout = nullptr;
    LH_CUBLASLT(cublaslt().cublasLtMatrixLayoutCreate(&layout, type_of(dtype),
                                                      static_cast<uint64_t>(columns),
                                                      static_cast<uint64_t>(rows), stride));
    return UniqueHandle<LayoutTraits>(layout);
}

Plan::Plan(cublasLtHandle_t handle, const MatmulArgs& args) {
    first_ = args.transpose_b ? transposed_layout(args.dtype, args.n, args.k, args.ldb)
                              : transposed_layout(args.dtype, args.k, args.n, args.ldb);
    second_ = args.transpose_a ? transposed_layout(args.dtype, args.k, args.m, args.lda)
                               : transposed_layout(args.dtype, args.m, args.k, args.lda);
    out_ = transposed_layout(args.out_dtype, args.m, args.n, args.ldc);
    describe(args);
    choose_algorithm(handle, args);
}

void Plan::describe(const MatmulArgs& args) {
    cublasLtMatmulDesc_t description = nullptr;
    LH_CUBLASLT(cublaslt().cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    description_.reset(description);
    // A view is already transposed; a matrix stored transposed must be turned back.
    set(CUBLASLT_MATMUL_DESC_TRANSA, args.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, args.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (args.bias == nullptr) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type_of(args.dtype));
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias);
}

void Plan::choose_algorithm(cublasLtHandle_t handle, const MatmulArgs& args) {
    cublasLtMatmulPreference_t raw = nullptr;
    LH_CUBLASLT(cublaslt().cublasLtMatmulPreferenceCreate(&raw));
    const UniqueHandle<PreferenceTraits> preference(raw);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        LH_CUBLASLT(
            cublaslt().cublasLtMatmulPreferenceSetAttribute(raw, attribute, &value, sizeof value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{kWorkspaceBytes});
    // Without these cuBLASLt takes every matrix to be aligned to 256 bytes.
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<uint32_t>(alignment_of(args.b)));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<uint32_t>(alignment_of(args.a)));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<uint32_t>(alignment_of(args.c)));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<uint32_t>(alignment_of(args.c)));
    cublasLtMatmulHeuristicResult_t result{};
    int num_results = 0;
    LH_CUBLASLT(cublaslt().cublasLtMatmulAlgoGetHeuristic(handle, description_.get(), first_.get(),
                                                          second_.get(), out_.get(), out_.get(),
                                                          raw, 1, &result, &num_results));
    if (num_results == 0) throw GpuError("cuBLASLt has no algorithm for it");
    algorithm_ = result.algo;
}

void Plan::run(cublasLtHandle_t handle, Stream& stream, const MatmulArgs& args,
               void* workspace) const {
    if (args.bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias);
    const float one = 1, beta = args.accumulate ? 1 : 0;
    LH_CUBLASLT(cublaslt().cublasLtMatmul(handle, description_.get(), &one, args.b, first_.get(),
                                          args.a, second_.get(), &beta, args.c, out_.get(), args.c,
                                          out_.get(), &algorithm_, workspace, kWorkspaceBytes,
                                          static_cast<cudaStream_t>(stream.native())));
}

/// What one host thread holds; made at its first product, plans at a shape's first use. A workspace
/// belongs to one stream, because products on two streams run at the same time.
class Context {
 public:
    Context() {
        cublasLtHandle_t handle = nullptr;
        LH_CUBLASLT(cublaslt().cublasLtCreate(&handle));
        handle_.reset(handle);
    }
    void run(Stream& stream, const MatmulArgs& args) {
        auto plan = plans_.find(key_of(args));
        if (plan == plans_.end()) {
            plan = plans_.emplace(key_of(args), Plan(handle_.get(), args)).first;
        }
        auto& workspace = workspaces_[stream.native()];
        if (workspace.size() == 0) workspace = gpu::DeviceBuffer<std::byte>(kWorkspaceBytes);
        plan->second.run(handle_.get(), stream, args, workspace.data());
    }

 private:
    UniqueHandle<HandleTraits> handle_;
    std::map<PlanKey, Plan> plans_;
    std::map<void*, gpu::DeviceBuffer<std::byte>> workspaces_;
};

}  // namespace

bool cublaslt_supports(const MatmulArgs& args) {
    // Its table of types: f64 products are ours by contract; a bias has the type of C.
    return args.dtype != tensor::DType::kF64 &&
           (args.bias == nullptr || args.out_dtype == args.dtype);
}

void matmul_cublaslt(Stream& stream, const MatmulArgs& args) {
    require(stream.device() == Device::kCuda, "matmul", "called with a CPU stream");
    with_context(
        [&] {
            static thread_local Context context;
            context.run(stream, args);
        },
        "multiplying ({}, {}) by ({}, {}) of {} with cuBLASLt", args.m, args.k, args.k, args.n,
        tensor::name_of(args.dtype));
}

}  // namespace longhaul::kernels::cuda
