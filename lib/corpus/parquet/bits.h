// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integers in few bits: Parquet's run-length/bit-packed hybrid and its delta encoding
// (apache/parquet-format, Encodings.md). Both decode one value after another, so that a declared
// number of values takes no memory.

#include <cstdint>
#include <span>

namespace longhaul::corpus::parquet {

/// "RLE" of Encodings.md: levels, dictionary indices, booleans.
class HybridDecoder {
 public:
    /// @param bit_width of a value, 0 to 32
    void begin(std::span<const std::byte> bytes, unsigned bit_width);
    /// @return false when the bytes end or can not be
    bool next(uint32_t& value);

 private:
    bool begin_run();

    std::span<const std::byte> rest_;    // behind the current run
    std::span<const std::byte> packed_;  // the current run, when it is bit-packed
    unsigned bit_width_ = 0;
    uint64_t left_ = 0;  // values of the current run still to come
    uint64_t bit_ = 0;
    bool is_packed_ = false;
    uint32_t value_ = 0;
};

/// "DELTA_BINARY_PACKED": sums wrap around.
class DeltaDecoder {
 public:
    /// Reads the header. @return false when it can not be
    bool begin(std::span<const std::byte> bytes);
    uint64_t num_values() const { return left_; }  // still to come
    /// @return false when the values or the bytes end
    bool next(int64_t& value);
    /// Passes over all values. @param[out] rest the bytes behind them. @return false: cut
    bool find_end(std::span<const std::byte>& rest) const;

 private:
    bool begin_miniblock();

    std::span<const std::byte> rest_, widths_, packed_;
    uint64_t values_per_miniblock_ = 0, miniblocks_per_block_ = 0;
    uint64_t left_ = 0, left_in_miniblock_ = 0;
    uint64_t value_ = 0, min_delta_ = 0, bit_ = 0;
    unsigned bit_width_ = 0;
    bool is_first_ = true;
};

}  // namespace longhaul::corpus::parquet
