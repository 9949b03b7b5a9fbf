// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/cast.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "lib/base/check.h"

namespace longhaul::ckpt {
namespace {

using tensor::BFloat16;
using tensor::DType;

struct Half {
    uint16_t bits = 0;
};

/// Exact: every half is a float. Subnormals are scaled by 2^-24.
float half_to_float(Half half) {
    const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000u) << 16;
    const uint32_t exponent = half.bits >> 10 & 0x1Fu;
    const uint32_t mantissa = half.bits & 0x3FFu;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
        return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

/// Round to nearest even; too large is infinity. The double's own rounding does the subnormals.
Half float_to_half(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
    const float magnitude = std::fabs(value);
    if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7E00u)};
    if (magnitude >= 65520.0f) return {static_cast<uint16_t>(sign | 0x7C00u)};
    if (magnitude < 0x1p-14f) {  // multiples of 2^-24
        return {static_cast<uint16_t>(sign |
                                      static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)))};
    }
    const uint32_t shifted = (bits & 0x7FFFFFFFu) - (112u << 23);
    return {static_cast<uint16_t>(sign | (shifted + 0xFFFu + (shifted >> 13 & 1u)) >> 13)};
}

template <class From, class To, class Convert>
void convert(std::span<const std::byte> in, std::span<std::byte> out, Convert one) {
    const size_t count = in.size() / sizeof(From);
    LH_CHECK(out.size() == count * sizeof(To), "cast of {} elements into {} bytes", count,
             out.size());
    for (size_t i = 0; i < count; ++i) {
        From from;
        std::memcpy(&from, in.data() + i * sizeof(From), sizeof(From));
        const To to = one(from);
        std::memcpy(out.data() + i * sizeof(To), &to, sizeof(To));
    }
}

}  // namespace

bool can_cast(DType from, DType to) {
    if (from == to) return true;
    switch (from) {
        case DType::kF32:
            return to == DType::kBF16 || to == DType::kF16 || to == DType::kF64;
        case DType::kBF16:
            return to == DType::kF32 || to == DType::kF64;
        case DType::kF64:
        case DType::kF16:
            return to == DType::kF32;
        default:
            return false;
    }
}

void cast(DType from, std::span<const std::byte> in, DType to, std::span<std::byte> out) {
    if (!can_cast(from, to)) {
        throw DataError(
            format("cannot convert {} to {}", tensor::name_of(from), tensor::name_of(to)));
    }
    if (from == to) {
        LH_CHECK(in.size() == out.size(), "copy of {} bytes into {}", in.size(), out.size());
        if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
    } else if (from == DType::kF32 && to == DType::kBF16) {
        convert<float, BFloat16>(in, out, [](float x) { return tensor::to_bf16(x); });
    } else if (from == DType::kF32 && to == DType::kF16) {
        convert<float, Half>(in, out, float_to_half);
    } else if (from == DType::kF32) {
        convert<float, double>(in, out, [](float x) { return static_cast<double>(x); });
    } else if (from == DType::kF64) {
        convert<double, float>(in, out, [](double x) { return static_cast<float>(x); });
    } else if (from == DType::kF16) {
        convert<Half, float>(in, out, half_to_float);
    } else if (to == DType::kF32) {
        convert<BFloat16, float>(in, out, [](BFloat16 x) { return tensor::to_float(x); });
    } else {
        convert<BFloat16, double>(
            in, out, [](BFloat16 x) { return static_cast<double>(tensor::to_float(x)); });
    }
}

}  // namespace longhaul::ckpt
