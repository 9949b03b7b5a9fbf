// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sharding-invariant fingerprints: F(T) = sum over elements of mix(global index, bits), two lanes
// mod 2^64. Sums of disjoint slices add up to the tensor's, in any cut and any order, so equal
// fingerprints prove that a reshard lost nothing and that replicas agree. Not cryptographic.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::ckpt {

struct Fingerprint {
    uint64_t high = 0;
    uint64_t low = 0;

    auto operator<=>(const Fingerprint&) const = default;
    Fingerprint& operator+=(const Fingerprint& other) {
        high += other.high;
        low += other.low;
        return *this;
    }
    /// 32 lower-case hex digits.
    std::string hex() const;
    static std::optional<Fingerprint> from_hex(std::string_view text);
};

/// The share of `slice` in its tensor's fingerprint.
/// @param bytes the slice's elements, packed: slice.count * size_of(dtype) bytes.
Fingerprint fingerprint(const tensor::Shape& shape, const tensor::Slice& slice, tensor::DType dtype,
                        std::span<const std::byte> bytes);

}  // namespace longhaul::ckpt
