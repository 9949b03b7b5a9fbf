// SPDX-License-Identifier: BSD-3-Clause
// A double of cuBLASLt: a shared library with its names (loaded by way of LONGHAUL_CUBLASLT), naive
// loops on host memory. It refuses what the real one refuses: sizes that do not fit together,
// leading dimensions shorter than a column, combinations of types outside the documented table, a
// bias of the wrong type, and pointers less aligned than the preference said. Work is queued on the
// stream.
#include <cublasLt.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "lib/tensor/dtype.h"
#include "tests/gpu/host_cuda/stream_queue.h"

namespace {

using longhaul::tensor::BFloat16;

/// A descriptor or preference: attributes as bytes, by number.
struct Attributes {
    std::map<int, std::vector<char>> values;

    template <class Value>
    Value get(int attribute, Value absent) const {
        const auto found = values.find(attribute);
        if (found == values.end() || found->second.size() != sizeof(Value)) return absent;
        Value value;
        std::memcpy(&value, found->second.data(), sizeof value);
        return value;
    }
    void set(int attribute, const void* bytes, size_t size) {
        const auto* first = static_cast<const char*>(bytes);
        values[attribute].assign(first, first + size);
    }
};

struct Layout {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t leading;
};

/// What the heuristic promised, kept in the opaque bytes of an algorithm.
struct Promise {
    uint32_t alignment_a, alignment_b, alignment_c;
    uint64_t workspace_bytes;
};

template <class Handle, class Object>
Handle wrap(Object* object) {
    return reinterpret_cast<Handle>(object);
}
template <class Object, class Handle>
Object& unwrap(Handle handle) {
    return *reinterpret_cast<Object*>(handle);
}

double read(const void* base, cudaDataType type, int64_t index) {
    if (type == CUDA_R_16BF)
        return longhaul::tensor::to_float(static_cast<const BFloat16*>(base)[index]);
    return static_cast<const float*>(base)[index];
}

void write(void* base, cudaDataType type, int64_t index, double value) {
    const auto narrowed = static_cast<float>(value);
    if (type == CUDA_R_16BF) {
        static_cast<BFloat16*>(base)[index] = longhaul::tensor::to_bf16(narrowed);
    } else {
        static_cast<float*>(base)[index] = narrowed;
    }
}

/// A product as the real library would run it.
struct Product {
    Layout a, b, c;
    bool transpose_a, transpose_b;
    int epilogue;
    cudaDataType bias_type;
    const void* bias;

    Product(const Attributes& description, const Layout& a, const Layout& b, const Layout& c)
        : a(a),
          b(b),
          c(c),
          transpose_a(description.get(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) == CUBLAS_OP_T),
          transpose_b(description.get(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) == CUBLAS_OP_T),
          epilogue(description.get(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT)),
          bias_type(description.get(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, c.type)),
          bias(description.get<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr)) {}

    uint64_t inner() const { return transpose_a ? a.rows : a.columns; }

    cublasStatus_t check() const {
        const uint64_t rows = transpose_a ? a.columns : a.rows;
        const uint64_t columns = transpose_b ? b.rows : b.columns;
        const uint64_t inner_b = transpose_b ? b.columns : b.rows;
        if (inner() != inner_b || rows != c.rows || columns != c.columns) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
        const bool is_known = a.type == b.type && (a.type == CUDA_R_32F || a.type == CUDA_R_16BF) &&
                              (c.type == CUDA_R_32F || c.type == a.type);
        if (!is_known) return CUBLAS_STATUS_NOT_SUPPORTED;
        if (epilogue == CUBLASLT_EPILOGUE_DEFAULT) return CUBLAS_STATUS_SUCCESS;
        if (epilogue != CUBLASLT_EPILOGUE_BIAS || bias_type != c.type) {
            return CUBLAS_STATUS_NOT_SUPPORTED;
        }
        return bias == nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
    }

    void run(const void* a_data, const void* b_data, void* c_data, float alpha, float beta) const {
        for (uint64_t column = 0; column < c.columns; ++column) {
            for (uint64_t row = 0; row < c.rows; ++row) {
                double sum = 0;
                for (uint64_t k = 0; k < inner(); ++k) {
                    sum += read(a_data, a.type,
                                transpose_a ? k + row * a.leading : row + k * a.leading) *
                           read(b_data, b.type,
                                transpose_b ? column + k * b.leading : k + column * b.leading);
                }
                const int64_t place = row + column * c.leading;
                double value = alpha * sum;
                if (beta != 0) value += beta * read(c_data, c.type, place);
                if (epilogue == CUBLASLT_EPILOGUE_BIAS) value += read(bias, bias_type, row);
                write(c_data, c.type, place, value);
            }
        }
    }
};

bool is_aligned(const void* pointer, uint32_t alignment) {
    return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() {
    return 130000;
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_INVALID_VALUE:
            return "an unsupported value or parameter was passed";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "the functionality requested is not supported";
        default:
            return "status of the double";
    }
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = wrap<cublasLtHandle_t>(new int(0));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete &unwrap<int>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
    if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
    *description = wrap<cublasLtMatmulDesc_t>(new Attributes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete &unwrap<Attributes>(description);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* bytes, size_t size) {
    unwrap<Attributes>(description).set(attribute, bytes, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
    if (leading < static_cast<int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
    *layout = wrap<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, leading});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete &unwrap<Layout>(layout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = wrap<cublasLtMatmulPreference_t>(new Attributes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete &unwrap<Attributes>(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* bytes, size_t size) {
    unwrap<Attributes>(preference).set(attribute, bytes, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
    *found = 0;
    const Product product(unwrap<Attributes>(description), unwrap<Layout>(a), unwrap<Layout>(b),
                          unwrap<Layout>(c));
    const cublasStatus_t status = product.check();
    if (status != CUBLAS_STATUS_SUCCESS || wanted == 0) return status;
    const Attributes& hints = unwrap<Attributes>(preference);
    const Promise promise{hints.get<uint32_t>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 256),
                          hints.get<uint32_t>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 256),
                          hints.get<uint32_t>(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 256),
                          hints.get<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0)};
    *results = {};
    static_assert(sizeof promise <= sizeof results->algo);
    std::memcpy(&results->algo, &promise, sizeof promise);
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* a_data, cublasLtMatrixLayout_t a, const void* b_data,
                              cublasLtMatrixLayout_t b, const void* beta, const void* c_data,
                              cublasLtMatrixLayout_t c, void* d_data, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    const Product product(unwrap<Attributes>(description), unwrap<Layout>(a), unwrap<Layout>(b),
                          unwrap<Layout>(c));
    if (const cublasStatus_t status = product.check()) return status;
    Promise promise;
    std::memcpy(&promise, algorithm, sizeof promise);
    if (!is_aligned(a_data, promise.alignment_a) || !is_aligned(b_data, promise.alignment_b) ||
        !is_aligned(d_data, promise.alignment_c) || c_data != d_data ||
        workspace_bytes < promise.workspace_bytes || !is_aligned(workspace, 256)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    const float scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
    longhaul::host_cuda::enqueue(stream, [=] { product.run(a_data, b_data, d_data, scale, keep); });
    return CUBLAS_STATUS_SUCCESS;
}

// In the table, but not called by the code under test.
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t,
                                                cublasLtMatrixLayoutAttribute_t, const void*,
                                                size_t) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // extern "C"
