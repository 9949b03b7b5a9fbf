// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/bits.h"

#include <algorithm>
#include <cstring>

namespace longhaul::corpus::parquet {

namespace {

/// ULEB128. @return false: cut, or more than 64 bits
bool read_varint(std::span<const std::byte>& bytes, uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = std::to_integer<uint8_t>(bytes[0]);
        bytes = bytes.subspan(1);
        value |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/// `width` bits from bit `bit` on, lowest bit first; bits beyond the end are 0.
uint64_t read_bits(std::span<const std::byte> bytes, uint64_t bit, unsigned width) {
    if (width == 0) return 0;
    const size_t begin = bit / 8;
    const unsigned shift = bit % 8;
    uint64_t low = 0;
    if (begin >= bytes.size()) return 0;
    std::memcpy(&low, bytes.data() + begin, std::min<size_t>(8, bytes.size() - begin));
    low >>= shift;
    if (shift + width > 64 && begin + 8 < bytes.size()) {
        low |= std::to_integer<uint64_t>(bytes[begin + 8]) << (64 - shift);
    }
    return width == 64 ? low : low & ((uint64_t{1} << width) - 1);
}

uint64_t unzigzag(uint64_t value) {
    return (value >> 1) ^ (~(value & 1) + 1);
}

}  // namespace

void HybridDecoder::begin(std::span<const std::byte> bytes, unsigned bit_width) {
    rest_ = bytes;
    bit_width_ = bit_width;
    left_ = 0;
}

bool HybridDecoder::begin_run() {
    uint64_t header = 0;
    if (!read_varint(rest_, header)) return false;
    is_packed_ = (header & 1) != 0;
    if (!is_packed_) {
        const size_t size = (bit_width_ + 7) / 8;
        if (size > rest_.size()) return false;
        value_ = 0;
        if (size > 0) std::memcpy(&value_, rest_.data(), size);
        rest_ = rest_.subspan(size);
        left_ = header >> 1;
        return true;
    }
    // Some writers cut the padding of the last group of 8 values.
    const uint64_t groups = header >> 1;
    const bool is_short = bit_width_ > 0 && groups > rest_.size() / bit_width_;
    const size_t size = is_short ? rest_.size() : groups * bit_width_;
    packed_ = rest_.first(size);
    rest_ = rest_.subspan(size);
    bit_ = 0;
    left_ = is_short ? size * 8 / bit_width_ : std::min(groups, UINT64_MAX / 8) * 8;
    return true;
}

bool HybridDecoder::next(uint32_t& value) {
    while (left_ == 0) {
        if (!begin_run()) return false;
    }
    --left_;
    if (is_packed_) {
        value_ = static_cast<uint32_t>(read_bits(packed_, bit_, bit_width_));
        bit_ += bit_width_;
    }
    value = value_;
    return true;
}

bool DeltaDecoder::begin(std::span<const std::byte> bytes) {
    constexpr uint64_t kMaxBlock = 1 << 20;
    uint64_t block = 0, first = 0;
    *this = {};
    rest_ = bytes;
    if (!read_varint(rest_, block) || !read_varint(rest_, miniblocks_per_block_) ||
        !read_varint(rest_, left_) || !read_varint(rest_, first)) {
        return false;
    }
    if (block == 0 || block > kMaxBlock || block % 128 != 0 || miniblocks_per_block_ == 0 ||
        block % miniblocks_per_block_ != 0) {
        return false;
    }
    values_per_miniblock_ = block / miniblocks_per_block_;
    value_ = unzigzag(first);
    return values_per_miniblock_ % 32 == 0;
}

bool DeltaDecoder::begin_miniblock() {
    if (widths_.empty()) {
        uint64_t min_delta = 0;
        if (!read_varint(rest_, min_delta) || rest_.size() < miniblocks_per_block_) return false;
        min_delta_ = unzigzag(min_delta);
        widths_ = rest_.first(miniblocks_per_block_);
        rest_ = rest_.subspan(miniblocks_per_block_);
    }
    bit_width_ = std::to_integer<unsigned>(widths_[0]);
    widths_ = widths_.subspan(1);
    if (bit_width_ > 64) return false;
    const uint64_t size = values_per_miniblock_ * bit_width_ / 8;
    if (size > rest_.size()) return false;
    packed_ = rest_.first(size);
    rest_ = rest_.subspan(size);
    bit_ = 0;
    left_in_miniblock_ = values_per_miniblock_;
    return true;
}

bool DeltaDecoder::next(int64_t& value) {
    if (left_ == 0) return false;
    if (is_first_) {
        is_first_ = false;
    } else {
        if (left_in_miniblock_ == 0 && !begin_miniblock()) return false;
        --left_in_miniblock_;
        value_ += min_delta_ + read_bits(packed_, bit_, bit_width_);
        bit_ += bit_width_;
    }
    --left_;
    value = static_cast<int64_t>(value_);
    return true;
}

bool DeltaDecoder::find_end(std::span<const std::byte>& rest) const {
    DeltaDecoder walker = *this;
    if (walker.is_first_ && walker.left_ > 0) --walker.left_;
    while (walker.left_ > walker.left_in_miniblock_) {
        walker.left_ -= walker.left_in_miniblock_;
        if (!walker.begin_miniblock()) return false;
    }
    rest = walker.rest_;
    return true;
}

}  // namespace longhaul::corpus::parquet
