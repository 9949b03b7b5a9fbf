// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A Parquet file as JSON lines, so that every reader of documents reads it: one line a row, in file
// order (longhaul-documents.5, "PARQUET"). A row without text is a line without the text member.

#include <cstdint>
#include <memory>
#include <string>

#include "lib/io/stream.h"

namespace longhaul::corpus {

struct ParquetOptions {
    std::string text_field = "text";  // dots go into structures
    /// Whether other columns become members of the lines too: texts, numbers and booleans at the
    /// top level.
    bool has_other_columns = false;
    uint64_t max_page_bytes = uint64_t{1} << 30;  // a larger page, decompressed, is an error
};

/// True for a Parquet file by its first bytes, cut or encrypted ones included. False for what is
/// no regular file, and is not opened then. @throws IoError
bool has_parquet_magic(const std::string& path);

/// Holds a page of each column. Not thread-safe.
class ParquetInput final : public io::InputStream {
 public:
    /// The row groups whose first byte is in [begin, end).
    /// @throws IoError; DataError: no Parquet file, damaged, or something in it that is not read
    ///         here, by name; UsageError: no such column
    ParquetInput(const std::string& path, const ParquetOptions& options, uint64_t begin,
                 uint64_t end);
    /// The whole file.
    ParquetInput(const std::string& path, const ParquetOptions& options);
    ~ParquetInput() override;

    size_t read(std::span<std::byte> buffer) override;
    /// "FILE", or "FILE[from byte N]" for a part that does not begin at 0.
    const std::string& name() const override;
    uint64_t stored_bytes() const override;
    /// Of the part's bytes; parts that adjoin cover the file.
    Hash128 stored_hash() const override;
    /// Byte of the file at which the part begins.
    uint64_t first_byte() const;
    /// With has_other_columns, those that lines can not show (lists, structures, binary data):
    /// their names with commas between them, the first twenty.
    const std::string& left_out() const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul::corpus
