// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Documents of one input in order, in bounded memory (longhaul-documents.5): JSON lines or plain
// text, plain, gzip or zstd, a file or "-"; Parquet files. Bad records are counted and passed over.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/hash.h"
#include "lib/corpus/bad_records.h"
#include "lib/corpus/document_scanner.h"
#include "lib/corpus/parquet_input.h"
#include "lib/io/line_reader.h"
#include "lib/io/stream.h"

namespace longhaul::corpus {

struct ReaderOptions {
    std::string layout = "auto";            // --input-format: auto | jsonl | lines | file | parquet
    std::string text_field = "text";        // --text-field
    uint64_t max_line_bytes = 64ull << 20;  // --max-line
    TextPolicy text_policy;                 // --invalid-utf8, --lone-surrogates
    BadRecordPolicy policy;
    io::ReadAhead ahead;  // threads that unpack frames of .zst and .gz
    // Of Parquet files:
    bool has_other_columns = false;  // whether the lines have more members than the text
    uint64_t max_page_bytes = 1ull << 30;
};

/// "jsonl", "lines", "file", "parquet" (lines of JSON, see open_documents), or "auto": the name
/// decides ("x.txt", "x.txt.gz": file; else jsonl).
/// @throws UsageError for another word.
Layout parse_layout(const std::string& word, const std::string& path);

/// Whether open_documents reads it as Parquet: when --input-format says so, or, under "auto", by
/// its name or its first bytes. @throws IoError
bool is_parquet(const ReaderOptions& options, const std::string& path);

/// As io::open_input, but a Parquet file becomes JSON lines.
/// @throws IoError; UsageError, DataError: Parquet that can not be read, also from a pipe
std::unique_ptr<io::InputStream> open_documents(const std::string& path,
                                                const ReaderOptions& options);
/// The rows of a Parquet file in the row groups that begin in [begin, end).
std::unique_ptr<ParquetInput> open_parquet_part(const std::string& path,
                                                const ReaderOptions& options, uint64_t begin,
                                                uint64_t end);

struct Document {
    std::string_view text;  // UTF-8 unless InvalidUtf8::kBytes, may be empty, may hold NUL
    std::string_view raw;   // the line as read, without "\n"
    uint64_t row = 0;       // line number from 0, blank and bad lines counted
    uint64_t offset = 0;    // byte of the line in the decompressed stream
};

/// Where a record stands in its input.
struct RecordPlace {
    uint64_t row = 0;     // line number from 0
    uint64_t offset = 0;  // byte of the line in the decompressed stream
};

/// Names a record that scan() refused. @param line what was scanned.
BadRecord make_bad_record(const std::string& file, const ScanResult& result, std::string_view line,
                          const RecordPlace& place);

/// Reads one input to its end. Views in a Document live until the next call. Not thread-safe.
class DocumentReader {
 public:
    /// Opens `path` ("-" is stdin). @throws IoError, UsageError
    DocumentReader(const std::string& path, const ReaderOptions& options);
    DocumentReader(std::unique_ptr<io::InputStream> input, const ReaderOptions& options);
    ~DocumentReader();

    /// The next good record. @return false at the end.
    /// @throws DataError for a damaged container; and for a bad record when the policy says fail.
    bool next(Document& document);

    /// Of what was read so far. The caller merges these over its inputs and calls
    /// BadRecords::check(policy, number of records) once, before it publishes its output.
    const BadRecords& bad_records() const { return bad_; }
    uint64_t num_documents() const { return num_documents_; }  // good ones
    uint64_t num_records() const { return num_documents_ + bad_.count(); }
    uint64_t num_blank_lines() const { return num_blank_; }
    uint64_t num_lone_surrogates() const { return num_lone_surrogates_; }

    const std::string& name() const { return input_->name(); }
    uint64_t stored_bytes() const { return input_->stored_bytes(); }
    /// XXH3-128 of the input as stored; complete once next() has returned false.
    Hash128 stored_hash() const { return input_->stored_hash(); }

 private:
    bool next_record(Document& document, ScanResult& result);
    bool next_file(Document& document, ScanResult& result);

    std::unique_ptr<io::InputStream> input_;
    ReaderOptions options_;
    Layout layout_;
    DocumentScanner scanner_;
    io::LineReader lines_;
    std::string whole_;  // the text of Layout::kTextFile
    bool is_done_ = false;
    BadRecords bad_;
    uint64_t num_documents_ = 0;
    uint64_t num_blank_ = 0;
    uint64_t num_lone_surrogates_ = 0;
};

}  // namespace longhaul::corpus
