// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace longhaul::token {

/// A set of bytes.
class ByteSet {
 public:
    bool contains(char byte) const {
        const auto index = static_cast<uint8_t>(byte);
        return (bits_[index >> 6] >> (index & 63)) & 1;
    }
    /// True where a match can begin at the end of the text, too.
    bool is_all() const { return (bits_[0] & bits_[1] & bits_[2] & bits_[3]) == ~uint64_t{0}; }
    void add(unsigned byte) { bits_[byte >> 6] |= uint64_t{1} << (byte & 63); }
    void add_range(unsigned first, unsigned last) {
        for (unsigned byte = first; byte <= last; ++byte) add(byte);
    }
    /// @return true when this changed
    bool add(const ByteSet& other) {
        const std::array<uint64_t, 4> before = bits_;
        for (size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
        return bits_ != before;
    }

 private:
    std::array<uint64_t, 4> bits_{};
};

}  // namespace longhaul::token
