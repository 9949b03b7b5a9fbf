// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/embedding.h"

#include "tests/gpu/kernels/kernel_test.h"
#include "tests/support/documents.h"

namespace longhaul::kernels::test {

namespace {

constexpr int64_t kVocab = 11, kSeqLen = 8;

template <class T>
struct Outputs {
    std::vector<T> out;
    std::vector<Accumulator<T>> grad_table, grad_positions;
    Hash128 hash() const { return hash_of(out, grad_table, grad_positions); }
};

}  // namespace

TEST_CASE_TEMPLATE("cuda embedding: equals the CPU backend bit for bit", T, float, BFloat16,
                   double) {
    std::vector<std::pair<int64_t, int64_t>> shapes = {{5, 3}, {30, 20}};
    // More rows than threads look at in one go (slow: one type only).
    if (std::is_same_v<T, float>) shapes.push_back({270, 4});
    for (const auto& [rows, columns] : shapes) {
        CAPTURE(rows);
        std::vector<int32_t> tokens(rows);
        for (int64_t r = 0; r < rows; ++r) tokens[r] = static_cast<int32_t>(r * r % kVocab);
        const auto table = random_values<T>(kVocab * columns, 1, 71);
        const auto positions = random_values<T>(kSeqLen * columns, 1, 72);
        const auto grad_out = random_values<T>(rows * columns, 1, 73);
        const auto grad_table = random_values<Accumulator<T>>(kVocab * columns, 1, 74);
        const auto grad_positions = random_values<Accumulator<T>>(kSeqLen * columns, 1, 75);
        std::vector<int32_t> begins(rows);  // of documents of 3 and 2 tokens
        const auto one = longhaul::test::document_begins(kSeqLen, {3, 2});
        for (int64_t r = 0; r < rows; ++r) begins[r] = one[r % kSeqLen];
        const bool has_documents = columns != 20;
        const auto got = in_all_schedules([&](Device& device) {
            const auto begins_gpu = device.upload(begins);
            const int32_t* documents = has_documents ? begins_gpu.data() : nullptr;
            const auto tokens_gpu = device.upload(tokens);
            const auto table_gpu = device.upload(table), positions_gpu = device.upload(positions),
                       grad_out_gpu = device.upload(grad_out);
            const auto grad_table_gpu = device.upload(grad_table),
                       grad_positions_gpu = device.upload(grad_positions);
            const auto out = device.make<T>(rows * columns);
            cuda::embedding_forward(
                device.stream(), {kDType<T>, rows, columns, kSeqLen, 0, tokens_gpu.data(),
                                  table_gpu.data(), positions_gpu.data(), out.data(), documents});
            cuda::embedding_backward(
                device.stream(),
                {kDType<T>, rows, columns, kSeqLen, tokens_gpu.data(), grad_out_gpu.data(),
                 grad_table_gpu.data(), grad_positions_gpu.data(), documents});
            return Outputs<T>{device.download(out), device.download(grad_table_gpu),
                              device.download(grad_positions_gpu)};
        });
        Outputs<T> want{std::vector<T>(rows * columns), grad_table, grad_positions};
        Stream cpu = Stream::cpu();
        const int32_t* documents = has_documents ? begins.data() : nullptr;
        cpu::embedding_forward(cpu, {kDType<T>, rows, columns, kSeqLen, 0, tokens.data(),
                                     table.data(), positions.data(), want.out.data(), documents});
        cpu::embedding_backward(cpu,
                                {kDType<T>, rows, columns, kSeqLen, tokens.data(), grad_out.data(),
                                 want.grad_table.data(), want.grad_positions.data(), documents});
        CHECK(got.out == want.out);
        CHECK(got.grad_table == want.grad_table);
        CHECK(got.grad_positions == want.grad_positions);
    }
}

}  // namespace longhaul::kernels::test
