// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From a line of a batch to its text, or to the reason why it is a bad record.

#include <string>

#include "lib/corpus/document_reader.h"
#include "lib/corpus/document_scanner.h"
#include "lib/dedup/batch.h"
#include "lib/dedup/inputs.h"

namespace longhaul::dedup {

/// One per thread: keeps the buffer of a decoded text.
class LineScanner {
 public:
    explicit LineScanner(const corpus::ReaderOptions& options)
        : json_(corpus::Layout::kJsonLines, options.text_field),
          lines_(corpus::Layout::kTextLines),
          file_(corpus::Layout::kTextFile) {}

    /// Lines longer than --max-line are bad records.
    corpus::ScanResult scan(const Batch& batch, size_t line, corpus::Layout layout);

 private:
    corpus::DocumentScanner json_, lines_, file_;
};

/// Names the bad record that scan() found.
corpus::BadRecord bad_record_of(const Batch& batch, size_t line, const corpus::ScanResult& result,
                                const std::string& input_name);

/// A program that dies while it writes into a pipe leaves such a bad record at its end.
bool is_cut_stream(const Input& input, const BatchLine& line, const corpus::ScanResult& result);
/// Says so. @throws DataError
[[noreturn]] void fail_cut_stream(const corpus::BadRecord& bad);

}  // namespace longhaul::dedup
