// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tensor/dtype.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace longhaul::tensor;

TEST_CASE("dtype: names round-trip and sizes are right") {
    const std::pair<DType, size_t> all[] = {
        {DType::kF32, 4}, {DType::kF64, 8}, {DType::kBF16, 2}, {DType::kF16, 2}, {DType::kI32, 4},
        {DType::kI64, 8}, {DType::kU8, 1},  {DType::kU16, 2},  {DType::kU32, 4}, {DType::kU64, 8}};
    for (const auto& [dtype, bytes] : all) {
        CHECK(size_of(dtype) == bytes);
        CHECK(dtype_from_name(name_of(dtype)) == dtype);
    }
    CHECK_FALSE(dtype_from_name("F32"));
    CHECK_FALSE(dtype_from_name(""));
}

TEST_CASE("dtype: bf16 rounds to nearest even") {
    CHECK(to_bf16(1.0f).bits == 0x3F80);
    CHECK(to_bf16(std::bit_cast<float>(0x3F808000u)).bits == 0x3F80);  // tie, even below
    CHECK(to_bf16(std::bit_cast<float>(0x3F818000u)).bits == 0x3F82);  // tie, even above
    CHECK(to_bf16(std::bit_cast<float>(0x3F808001u)).bits == 0x3F81);
    CHECK(to_bf16(std::numeric_limits<float>::max()).bits == 0x7F80);
    CHECK(std::isnan(to_float(to_bf16(std::bit_cast<float>(0x7F800001u)))));
    CHECK(to_bf16(-0.0f).bits == 0x8000);
}
