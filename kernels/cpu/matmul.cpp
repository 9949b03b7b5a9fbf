// SPDX-License-Identifier: BSD-3-Clause
// Matrix products by oneDNN: dnnl_sgemm for f32, a cached matmul primitive for bf16; our own GEMM
// for f64, for a fixed order of summation, and where oneDNN has only its reference loop.

#include "kernels/matmul.h"

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/matmul_fixed.h"
#include "kernels/cpu/parallel_for.h"
#include "lib/base/check.h"

namespace longhaul::kernels::cpu {
namespace {

using tensor::DType;
using DnnlType = dnnl::memory::data_type;

/// The shape that a primitive is made for.
struct MatmulKey {
    int64_t m, n, k, lda, ldb, ldc;
    bool transpose_a, transpose_b, wide_out, bias, accumulate;
    int threads;  // blocking is chosen at creation
    bool operator==(const MatmulKey&) const = default;
};

struct MatmulKeyHash {
    size_t operator()(const MatmulKey& key) const {
        uint64_t hash = static_cast<uint64_t>(key.threads);
        const int64_t flags = key.transpose_a | key.transpose_b << 1 | key.wide_out << 2 |
                              key.bias << 3 | key.accumulate << 4;
        for (const int64_t part : {key.m, key.n, key.k, key.lda, key.ldb, key.ldc, flags}) {
            hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return hash;
    }
};

/// A primitive with its arguments, whose pointers are set at each call; `usable` is false where
/// oneDNN has no fast implementation for this CPU.
struct MatmulPrimitive {
    bool usable = false;
    dnnl::matmul primitive;
    size_t scratch_bytes = 0;
    std::unordered_map<int, dnnl::memory> arguments;
};

MatmulPrimitive create_primitive(const dnnl::engine& engine, const MatmulKey& key) {
    using Dims = dnnl::memory::dims;
    using Desc = dnnl::memory::desc;
    const auto out_type = key.wide_out ? DnnlType::f32 : DnnlType::bf16;
    const Desc a({key.m, key.k}, DnnlType::bf16,
                 key.transpose_a ? Dims{1, key.lda} : Dims{key.lda, 1});
    const Desc b({key.k, key.n}, DnnlType::bf16,
                 key.transpose_b ? Dims{1, key.ldb} : Dims{key.ldb, 1});
    const Desc c({key.m, key.n}, out_type, Dims{key.ldc, 1});
    const Desc bias({1, key.n}, DnnlType::bf16, Dims{key.n, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (key.accumulate) {
        dnnl::post_ops post_ops;
        post_ops.append_sum(1.0f);
        attributes.set_post_ops(post_ops);
    }
    const auto operation =
        key.bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
    const dnnl::matmul::primitive_desc description(operation, attributes, engine,
                                                   /*allow_empty=*/true);
    MatmulPrimitive made;
    if (!description) return made;
    if (std::string_view(description.impl_info_str()).starts_with("ref")) return made;
    made.usable = true;
    made.primitive = dnnl::matmul(description);
    made.scratch_bytes = description.scratchpad_desc().get_size();
    const auto argument = [&](int name, const Desc& desc) {
        made.arguments.emplace(name, dnnl::memory(desc, engine, nullptr));
    };
    argument(DNNL_ARG_SRC, a);
    argument(DNNL_ARG_WEIGHTS, b);
    argument(DNNL_ARG_DST, c);
    if (key.bias) argument(DNNL_ARG_BIAS, bias);
    argument(DNNL_ARG_SCRATCHPAD, description.scratchpad_desc());
    return made;
}

/// One per thread: oneDNN primitives are not shared, so ranks that are threads do not meet here.
class MatmulCache {
 public:
    MatmulCache() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

    /// @return false when oneDNN has nothing fast for this.
    bool run(const MatmulKey& key, const MatmulArgs& args) {
        auto found = primitives_.find(key);
        if (found == primitives_.end()) {
            found = primitives_.emplace(key, create_primitive(engine_, key)).first;
        }
        MatmulPrimitive& held = found->second;
        if (!held.usable) return false;
        if (scratch_.size() < held.scratch_bytes) scratch_.resize(held.scratch_bytes);
        const auto point = [&](int name, const void* data) {
            held.arguments.at(name).set_data_handle(const_cast<void*>(data));
        };
        point(DNNL_ARG_SRC, args.a);
        point(DNNL_ARG_WEIGHTS, args.b);
        point(DNNL_ARG_DST, args.c);
        if (key.bias) point(DNNL_ARG_BIAS, args.bias);
        point(DNNL_ARG_SCRATCHPAD, scratch_.data());
        held.primitive.execute(stream_, held.arguments);
        stream_.wait();
        return true;
    }

 private:
    dnnl::engine engine_;
    dnnl::stream stream_;
    std::unordered_map<MatmulKey, MatmulPrimitive, MatmulKeyHash> primitives_;
    std::vector<std::byte> scratch_;
};

void multiply_bf16(const MatmulArgs& args) {
    thread_local MatmulCache cache;
    const MatmulKey key{args.m,
                        args.n,
                        args.k,
                        args.lda,
                        args.ldb,
                        args.ldc,
                        args.transpose_a,
                        args.transpose_b,
                        args.out_dtype == DType::kF32,
                        args.bias != nullptr,
                        args.accumulate,
                        max_threads()};
    try {
        if (cache.run(key, args)) return;
    } catch (const dnnl::error& error) {
        throw Error(
            format("oneDNN matmul {}x{}x{} bf16: {}", args.m, args.n, args.k, error.what()));
    }
    matmul_fixed_order(args);
}

/// Every row of C becomes the bias; the product is then added.
void fill_rows(const MatmulArgs& args) {
    parallel_for(args.m, 64, [&](int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) {
            std::memcpy(static_cast<float*>(args.c) + row * args.ldc, args.bias,
                        static_cast<size_t>(args.n) * sizeof(float));
        }
    });
}

void multiply_f32(const MatmulArgs& args) {
    if (args.bias != nullptr) fill_rows(args);
    const float beta = args.bias != nullptr || args.accumulate ? 1.0f : 0.0f;
    const dnnl_status_t status = dnnl_sgemm(
        args.transpose_a ? 'T' : 'N', args.transpose_b ? 'T' : 'N', args.m, args.n, args.k, 1.0f,
        static_cast<const float*>(args.a), args.lda, static_cast<const float*>(args.b), args.ldb,
        beta, static_cast<float*>(args.c), args.ldc);
    if (status != dnnl_success) {
        throw Error(format("dnnl_sgemm {}x{}x{} (strides {}, {}, {}): status {}", args.m, args.n,
                           args.k, args.lda, args.ldb, args.ldc, static_cast<int>(status)));
    }
}

void check_args(const MatmulArgs& args) {
    const int64_t a_columns = args.transpose_a ? args.m : args.k;
    const int64_t b_columns = args.transpose_b ? args.k : args.n;
    LH_CHECK(args.m >= 0 && args.n >= 0 && args.k >= 0, "matmul {}x{}x{}", args.m, args.n, args.k);
    LH_CHECK(args.lda >= a_columns && args.ldb >= b_columns && args.ldc >= args.n,
             "matmul {}x{}x{}: row strides {}, {}, {} are too short", args.m, args.n, args.k,
             args.lda, args.ldb, args.ldc);
    LH_CHECK(args.bias == nullptr || !args.accumulate, "matmul: bias and accumulate together");
    LH_CHECK(args.out_dtype == args.dtype ||
                 (args.dtype == DType::kBF16 && args.out_dtype == DType::kF32),
             "matmul: {} inputs give no {} output", tensor::name_of(args.dtype),
             tensor::name_of(args.out_dtype));
}

}  // namespace

void matmul(Stream&, const MatmulArgs& args) {
    check_args(args);
    if (args.m == 0 || args.n == 0) return;
    const bool own = args.order == MatmulOrder::kFixedOrder || args.k == 0;
    if (own || args.dtype == DType::kF64) return matmul_fixed_order(args);
    if (args.dtype == DType::kF32) return multiply_f32(args);
    multiply_bf16(args);
}

}  // namespace longhaul::kernels::cpu
