// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/column.h"

#include <bit>

#include "lib/base/error.h"

namespace longhaul::corpus::parquet {

void ColumnReader::begin(const Chunk& chunk, uint64_t num_rows) {
    pages_.begin(leaf_, chunk);
    rows_left_ = num_rows;
    values_left_ = 0;
    values_.drop_dictionary();
}

/// The next data page with values; the dictionary is taken on the way.
void ColumnReader::next_page() {
    Page page;
    while (values_left_ == 0) {
        if (!pages_.next(page)) pages_.fail("its pages have fewer values than the row group rows");
        if (page.is_dictionary) {
            if (page.encoding != Encoding::kPlain && page.encoding != Encoding::kPlainDictionary) {
                pages_.fail(format("a dictionary encoded as {}",
                                   encoding_name(static_cast<int64_t>(page.encoding))));
            }
            const char* const fault =
                values_.set_dictionary(leaf_.type, page.values, page.num_values);
            if (fault != nullptr) pages_.fail(fault);
            continue;
        }
        if (page.num_values > rows_left_) {
            pages_.fail("its pages have more values than the row group rows");
        }
        rows_left_ -= page.num_values;
        values_left_ = page.num_values;
        levels_.begin(page.definition_levels,
                      static_cast<unsigned>(std::bit_width(leaf_.max_definition)));
        if (const char* const fault = values_.begin(leaf_.type, page.encoding, page.values)) {
            pages_.fail(
                format("{} ({})", fault, encoding_name(static_cast<int64_t>(page.encoding))));
        }
    }
}

void ColumnReader::next(Cell& cell) {
    if (values_left_ == 0) next_page();
    --values_left_;
    if (leaf_.max_definition > 0) {
        uint32_t level = 0;
        if (!levels_.next(level) || level > leaf_.max_definition) {
            pages_.fail("its definition levels are damaged");
        }
        if (level < leaf_.max_definition) {
            cell.kind = Cell::Kind::kNull;
            return;
        }
    }
    if (const char* const fault = values_.next(cell)) pages_.fail(fault);
}

}  // namespace longhaul::corpus::parquet
