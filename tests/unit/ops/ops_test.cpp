// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ops/ops.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "tests/support/typed_values.h"

namespace longhaul::ops {
namespace {

using tensor::DType;
using test::TypedValues;

TEST_CASE("ops: a CPU stream runs the CPU kernel") {
    Stream stream = Stream::cpu();
    const TypedValues x = test::random_typed(DType::kF32, 100, 1);
    TypedValues through_ops(DType::kF32, 100), direct(DType::kF32, 100);
    gelu_forward(stream, {DType::kF32, 100, x.data(), through_ops.data()});
    kernels::cpu::gelu_forward(stream, {DType::kF32, 100, x.data(), direct.data()});
    CHECK(through_ops == direct);
}

TEST_CASE("ops: an operation without a CUDA kernel says so on a CUDA stream") {
    Stream stream = Stream::cuda(nullptr);
    CHECK_THROWS_WITH_AS(head_norm_forward(stream, {}),
                         "head_norm_forward has no CUDA kernel yet: run it on the CPU", GpuError);
    CHECK_THROWS_AS(sum_squares(stream, {}), GpuError);
}

}  // namespace
}  // namespace longhaul::ops
