// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/fingerprint.h"

#include <cstring>

#include "lib/base/check.h"
#include "lib/base/hash.h"

namespace longhaul::ckpt {
namespace {

// Multipliers of SplitMix64 and of its variant 13 (Steele et al., OOPSLA'14; D. Stafford).
constexpr uint64_t kIndex = 0x9E3779B97F4A7C15u;
constexpr uint64_t kFirst = 0xBF58476D1CE4E5B9u;
constexpr uint64_t kSecond = 0x94D049BB133111EBu;

/// Adds `count` elements whose global indices start at `index`.
template <class Word>
void add_run(Fingerprint& sum, uint64_t index, const std::byte* bytes, int64_t count) {
    uint64_t key = index * kIndex;
    uint64_t high = 0;
    uint64_t low = 0;
    for (int64_t i = 0; i < count; ++i) {
        Word word;
        std::memcpy(&word, bytes + static_cast<size_t>(i) * sizeof(Word), sizeof(Word));
        uint64_t mixed = uint64_t{word} ^ key;
        mixed = (mixed ^ (mixed >> 30)) * kFirst;
        low += mixed ^ (mixed >> 32);
        mixed = (mixed ^ (mixed >> 27)) * kSecond;
        high += mixed ^ (mixed >> 31);
        key += kIndex;
    }
    sum += {high, low};
}

using AddRun = void (*)(Fingerprint&, uint64_t, const std::byte*, int64_t);

AddRun adder(size_t element_bytes) {
    switch (element_bytes) {
        case 1:
            return add_run<uint8_t>;
        case 2:
            return add_run<uint16_t>;
        case 4:
            return add_run<uint32_t>;
        default:
            return add_run<uint64_t>;
    }
}

}  // namespace

std::string Fingerprint::hex() const {
    return Hash128{high, low}.hex();
}

std::optional<Fingerprint> Fingerprint::from_hex(std::string_view text) {
    const auto bits = Hash128::from_hex(text);
    if (!bits) return std::nullopt;
    return Fingerprint{bits->high, bits->low};
}

Fingerprint fingerprint(const tensor::Shape& shape, const tensor::Slice& slice, tensor::DType dtype,
                        std::span<const std::byte> bytes) {
    const size_t element_bytes = tensor::size_of(dtype);
    LH_CHECK(bytes.size() == static_cast<size_t>(slice.count) * element_bytes,
             "{} bytes for {} elements of {}", bytes.size(), slice.count, tensor::name_of(dtype));
    const AddRun add = adder(element_bytes);
    Fingerprint sum;
    tensor::for_each_copy_run(
        slice, tensor::Slice::whole(tensor::Box::whole(shape)), [&](const tensor::CopyRun& run) {
            add(sum, static_cast<uint64_t>(run.destination_index),
                bytes.data() + static_cast<size_t>(run.source_index) * element_bytes, run.count);
        });
    return sum;
}

}  // namespace longhaul::ckpt
