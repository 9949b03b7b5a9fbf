// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The values of one column, row after row. Columns in lists or maps have no row of their own and
// are refused before they come here.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/corpus/parquet/bits.h"
#include "lib/corpus/parquet/footer.h"
#include "lib/corpus/parquet/page.h"

namespace longhaul::corpus::parquet {

/// One value. `text` lives until the column's next one.
struct Cell {
    enum class Kind : uint8_t { kNull, kText, kInteger, kReal, kBoolean };
    Kind kind = Kind::kNull;
    std::string_view text;
    int64_t integer = 0;  // also of an unsigned column: its bits
    double real = 0;
    bool boolean = false;
};

/// The values of one page, in any of the encodings that this reader knows.
class ValueDecoder {
 public:
    /// The dictionary of the chunk; its bytes must live as long as it is used.
    /// @return null, or what is wrong
    const char* set_dictionary(Physical type, std::span<const std::byte> bytes, uint32_t size);
    void drop_dictionary() { has_dictionary_ = false; }
    /// Begins a page. @return null, or what is wrong
    const char* begin(Physical type, Encoding encoding, std::span<const std::byte> bytes);
    /// The next value that is not null. @return null, or what is wrong
    const char* next(Cell& cell);

 private:
    const char* begin_indices();
    const char* begin_deltas(bool has_prefixes);
    const char* next_plain(Cell& cell);
    const char* next_index(Cell& cell);
    const char* next_suffix(Cell& cell);
    const char* next_split(Cell& cell);

    Physical type_ = Physical::kByteArray;
    Encoding encoding_ = Encoding::kPlain;
    std::span<const std::byte> bytes_;  // of values not read yet
    unsigned bit_ = 0;                  // of booleans, in bytes_[0]
    HybridDecoder hybrid_;
    DeltaDecoder deltas_, prefixes_;
    std::string previous_;  // DELTA_BYTE_ARRAY
    size_t index_ = 0;      // BYTE_STREAM_SPLIT

    bool has_dictionary_ = false;
    std::span<const std::byte> dictionary_;
    uint32_t dictionary_size_ = 0;
    std::vector<uint32_t> places_;  // of texts in dictionary_
};

/// Reads a column through its chunks. Not thread-safe.
class ColumnReader {
 public:
    ColumnReader(HashedFile& file, Leaf leaf, uint64_t max_page_bytes)
        : leaf_(std::move(leaf)), pages_(file, max_page_bytes) {}

    const Leaf& leaf() const { return leaf_; }
    void begin(const Chunk& chunk, uint64_t num_rows);
    /// The cell of the next row. @throws DataError
    void next(Cell& cell);

 private:
    void next_page();

    Leaf leaf_;
    PageReader pages_;
    ValueDecoder values_;
    HybridDecoder levels_;
    uint64_t rows_left_ = 0;    // of the chunk, behind the current page
    uint32_t values_left_ = 0;  // of the page
};

}  // namespace longhaul::corpus::parquet
