// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tensor/dtype.h"

#include <array>

namespace longhaul::tensor {
namespace {

struct Name {
    DType dtype;
    std::string_view text;
};

constexpr std::array<Name, 10> kNames{{{DType::kF32, "f32"},
                                       {DType::kF64, "f64"},
                                       {DType::kBF16, "bf16"},
                                       {DType::kF16, "f16"},
                                       {DType::kI32, "i32"},
                                       {DType::kI64, "i64"},
                                       {DType::kU8, "u8"},
                                       {DType::kU16, "u16"},
                                       {DType::kU32, "u32"},
                                       {DType::kU64, "u64"}}};

}  // namespace

std::string_view name_of(DType dtype) {
    for (const Name& name : kNames) {
        if (name.dtype == dtype) return name.text;
    }
    return "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const Name& known : kNames) {
        if (known.text == name) return known.dtype;
    }
    return std::nullopt;
}

}  // namespace longhaul::tensor
