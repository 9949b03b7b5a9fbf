// SPDX-License-Identifier: BSD-3-Clause
// Attention on CUDA against the CPU backend (which tests/unit/kernels proves against fp64 and
// finite differences): packed rows [q | k | v], grouped queries, ragged lengths, cached keys.
#include "kernels/attention.h"

#include "tests/gpu/kernels/kernel_test.h"
#include "tests/support/documents.h"

namespace longhaul::kernels::test {

namespace {

template <class T>
struct Inputs {
    AttentionShape shape;
    double scale;
    std::vector<T> qkv, grad_out;
    std::vector<int32_t> begins;  // of the documents; empty: one a sequence
    HeadLayout qkv_layout, out_layout;

    explicit Inputs(const AttentionShape& s, const std::vector<int64_t>& documents = {})
        : shape(s) {
        shape.dtype = kDType<T>;
        scale = 1 / std::sqrt(static_cast<double>(s.head_dim));
        const int64_t row = (s.num_heads + 2 * s.num_kv_heads) * s.head_dim;
        qkv_layout = {s.key_len * row, row};
        out_layout = {s.query_len * s.num_heads * s.head_dim, s.num_heads * s.head_dim};
        qkv = random_values<T>(s.batch * qkv_layout.batch_stride, 2, 81);
        grad_out = random_values<T>(s.batch * out_layout.batch_stride, 1, 82);
        for (int64_t b = 0; b < s.batch && !documents.empty(); ++b) {
            const auto one = longhaul::test::document_begins(s.query_len, documents);
            begins.insert(begins.end(), one.begin(), one.end());
        }
    }
    int64_t k_offset() const { return shape.num_heads * shape.head_dim; }
    int64_t v_offset() const { return k_offset() + shape.num_kv_heads * shape.head_dim; }
    /// Queries are the rows from first_query on.
    int64_t q_offset() const { return shape.first_query * qkv_layout.row_stride; }
    size_t num_lse() const {
        return static_cast<size_t>(shape.batch * shape.num_heads * shape.query_len);
    }
};

template <class T>
struct Outputs {
    std::vector<T> out, grad_qkv;
    std::vector<Accumulator<T>> lse;
    Hash128 hash() const { return hash_of(out, grad_qkv, lse); }
};

/// The calls of both backends; pointers of the backend's memory.
template <class T, class Forward>
void forward(const Forward& op, Stream& stream, const Inputs<T>& in, const T* qkv, T* out,
             const int32_t* begins, void* lse, void* scratch, size_t scratch_bytes) {
    op(stream, AttentionForwardArgs{.shape = in.shape,
                                    .scale = in.scale,
                                    .q = qkv + in.q_offset(),
                                    .k = qkv + in.k_offset(),
                                    .v = qkv + in.v_offset(),
                                    .out = out,
                                    .q_layout = in.qkv_layout,
                                    .kv_layout = in.qkv_layout,
                                    .out_layout = in.out_layout,
                                    .lse = lse,
                                    .scratch = scratch,
                                    .scratch_bytes = scratch_bytes,
                                    .document_begins = begins});
}

template <class T, class Backward>
void backward(const Backward& op, Stream& stream, const Inputs<T>& in, const T* qkv, const T* out,
              const int32_t* begins, const void* lse, const T* grad_out, T* grad_qkv, void* scratch,
              size_t scratch_bytes) {
    op(stream, AttentionBackwardArgs{.shape = in.shape,
                                     .scale = in.scale,
                                     .q = qkv,
                                     .k = qkv + in.k_offset(),
                                     .v = qkv + in.v_offset(),
                                     .out = out,
                                     .lse = lse,
                                     .grad_out = grad_out,
                                     .grad_q = grad_qkv,
                                     .grad_k = grad_qkv + in.k_offset(),
                                     .grad_v = grad_qkv + in.v_offset(),
                                     .q_layout = in.qkv_layout,
                                     .kv_layout = in.qkv_layout,
                                     .out_layout = in.out_layout,
                                     .grad_q_layout = in.qkv_layout,
                                     .grad_kv_layout = in.qkv_layout,
                                     .scratch = scratch,
                                     .scratch_bytes = scratch_bytes,
                                     .document_begins = begins});
}

template <class T>
Outputs<T> run(Device& device, const Inputs<T>& in, bool want_backward) {
    const auto qkv = device.upload(in.qkv), grad_out = device.upload(in.grad_out);
    const auto begins = device.upload(in.begins);
    const int32_t* documents = in.begins.empty() ? nullptr : begins.data();
    const auto out = device.make<T>(in.grad_out.size()), grad_qkv = device.make<T>(in.qkv.size());
    const auto lse = device.make<Accumulator<T>>(in.num_lse());
    const size_t scratch_bytes = cuda::attention_scratch_bytes(in.shape, true);
    const auto scratch = device.make<std::byte>(scratch_bytes);
    forward(cuda::attention_forward, device.stream(), in, qkv.data(), out.data(), documents,
            lse.data(), nullptr, 0);
    if (!want_backward) return {device.download(out), {}, device.download(lse)};
    backward<T>(cuda::attention_backward, device.stream(), in, qkv.data(), out.data(), documents,
                lse.data(), grad_out.data(), grad_qkv.data(), scratch.data(), scratch_bytes);
    return {device.download(out), device.download(grad_qkv), device.download(lse)};
}

template <class T>
Outputs<T> run_cpu(const Inputs<T>& in, bool want_backward) {
    Stream stream = Stream::cpu();
    Outputs<T> got{in.grad_out, {}, std::vector<Accumulator<T>>(in.num_lse())};
    const size_t scratch_bytes = std::max(cpu::attention_scratch_bytes(in.shape, false),
                                          cpu::attention_scratch_bytes(in.shape, true));
    std::vector<std::byte> memory(scratch_bytes + 64);
    const auto start = reinterpret_cast<uintptr_t>(memory.data());
    std::byte* scratch = memory.data() + (64 - start % 64) % 64;
    const int32_t* documents = in.begins.empty() ? nullptr : in.begins.data();
    forward(cpu::attention_forward, stream, in, in.qkv.data(), got.out.data(), documents,
            got.lse.data(), scratch, scratch_bytes);
    if (!want_backward) return got;
    got.grad_qkv = in.qkv;
    backward<T>(cpu::attention_backward, stream, in, in.qkv.data(), got.out.data(), documents,
                got.lse.data(), in.grad_out.data(), got.grad_qkv.data(), scratch, scratch_bytes);
    return got;
}

template <class T>
void check_equal(const AttentionShape& shape, bool want_backward,
                 const std::vector<int64_t>& documents = {}) {
    CAPTURE(shape.query_len);
    CAPTURE(shape.head_dim);
    const Inputs<T> in(shape, documents);
    const auto gpu =
        in_all_schedules([&](Device& device) { return run(device, in, want_backward); });
    const auto cpu = run_cpu(in, want_backward);
    // Scores of up to about 4 in the accumulator type, then sums of products; bf16 outputs feed
    // delta.
    const double accumulate = 256 * kHalfUlp<Accumulator<T>>;
    const double tolerance = 4 * kHalfUlp<T> + accumulate;
    check_close("out", gpu.out, widen_all(cpu.out), tolerance, 0.5);
    check_close("lse", gpu.lse, widen_all(cpu.lse), accumulate, 1);
    if (want_backward) {
        check_close("grad_qkv", gpu.grad_qkv, widen_all(cpu.grad_qkv), tolerance, 1);
    }
}

AttentionShape shape_of(int64_t batch, int64_t length, int64_t heads, int64_t kv_heads,
                        int64_t dim) {
    return {.batch = batch,
            .query_len = length,
            .key_len = length,
            .num_heads = heads,
            .num_kv_heads = kv_heads,
            .head_dim = dim};
}

}  // namespace

TEST_CASE_TEMPLATE("cuda attention: equals the CPU backend, same bits in all schedules", T, float,
                   BFloat16, double) {
    check_equal<T>(shape_of(1, 1, 1, 1, 4), true);
    check_equal<T>(shape_of(2, 37, 2, 1, 10), true);  // ragged, grouped, odd width
    check_equal<T>(shape_of(1, 64, 1, 1, 64), true);
    if constexpr (!std::is_same_v<T, double>) check_equal<T>(shape_of(1, 33, 1, 1, 80), true);
}

TEST_CASE("cuda attention: queries see the keys of their own document only") {
    check_equal<float>(shape_of(2, 70, 2, 1, 8), true, {3, 1, 40});
    check_equal<float>(shape_of(1, 66, 1, 1, 8), true, {32, 1, 31});
    check_equal<double>(shape_of(1, 40, 1, 1, 4), true, {1});
}

TEST_CASE("cuda attention: queries that continue a cached sequence") {
    AttentionShape shape = shape_of(2, 5, 4, 2, 16);
    shape.first_query = 40;
    shape.key_len = 50;  // more than is visible
    check_equal<float>(shape, false);
    shape.query_len = 1;
    check_equal<float>(shape, false);
}

TEST_CASE("cuda attention: bad arguments are named") {
    Device device;
    AttentionForwardArgs args;
    args.shape = shape_of(1, 4, 3, 2, 8);
    CHECK_THROWS_WITH(cuda::attention_forward(device.stream(), args),
                      "attention_forward: num_kv_heads must divide num_heads");
    args.shape = shape_of(1, 4, 2, 2, 256);
    CHECK_THROWS_WITH(cuda::attention_forward(device.stream(), args),
                      "attention_forward: head_dim must be 1 to 128 (f64: 64)");
    args.shape = shape_of(1, 4, 2, 2, 8);
    args.shape.first_query = 1;
    CHECK_THROWS_WITH(cuda::attention_forward(device.stream(), args),
                      "attention_forward: there are fewer keys than queries need");
    const int32_t begins[] = {0, 0, 0, 0};
    args.shape.key_len = 5;
    args.document_begins = begins;
    CHECK_THROWS_WITH(cuda::attention_forward(device.stream(), args),
                      "attention_forward: documents need first_query = 0");
}

}  // namespace longhaul::kernels::test
