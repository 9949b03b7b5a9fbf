// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Element types of tensors and the bf16 conversions that every backend must agree on.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace longhaul::tensor {

enum class DType : uint8_t { kF32, kF64, kBF16, kF16, kI32, kI64, kU8, kU16, kU32, kU64 };

constexpr size_t size_of(DType dtype) {
    switch (dtype) {
        case DType::kF64:
        case DType::kI64:
        case DType::kU64:
            return 8;
        case DType::kF32:
        case DType::kI32:
        case DType::kU32:
            return 4;
        case DType::kBF16:
        case DType::kF16:
        case DType::kU16:
            return 2;
        case DType::kU8:
            return 1;
    }
    return 0;
}

/// "f32", "bf16", ... as written in manifests and run.toml.
std::string_view name_of(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

/// bf16 bits, stored as their own type so that no implicit arithmetic happens on them.
struct BFloat16 {
    uint16_t bits = 0;
    bool operator==(const BFloat16&) const = default;
};

constexpr float to_float(BFloat16 value) {
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

/// Round to nearest even; NaN stays NaN (quiet bit set).
constexpr BFloat16 to_bf16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return {static_cast<uint16_t>(bits >> 16 | 0x40u)};
    }
    return {static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
}

/// Stochastic rounding: 16 random bits are added below the kept mantissa, then truncated.
/// @param random16 uniform in [0, 65535], keyed by the element's global index.
constexpr BFloat16 to_bf16_stochastic(float value, uint32_t random16) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7F800000u) == 0x7F800000u) return to_bf16(value);  // infinity, NaN
    return {static_cast<uint16_t>((bits + random16) >> 16)};
}

}  // namespace longhaul::tensor
