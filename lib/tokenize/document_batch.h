// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Batches of records on their way through the workers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/corpus/bad_records.h"
#include "lib/corpus/document_scanner.h"
#include "lib/token/encoder.h"
#include "lib/tokenize/block_reader.h"
#include "lib/tokenize/unit_encoder.h"

namespace longhaul::tokenize {

/// A batch encoded, in order. Rows count from the batch's first line.
struct EncodedBatch {
    struct Document {
        size_t num_ids = 0;
        uint64_t row = 0;
    };
    size_t segment = 0;
    uint32_t input = 0;
    uint64_t num_lines = 0;
    std::vector<uint32_t> ids;
    std::vector<Document> documents;
    UnitCounts counts;
    corpus::BadRecords bad;
    /// The record that ends the run, the last one of the batch.
    std::optional<corpus::BadRecord> fatal;
    bool is_cut_stream = false;  // why: a pipe ended inside it; else --on-bad-record=fail
    Block block;                 // given back

    /// Empties it; memory is kept.
    void clear();
};

/// A block of one segment as read, not yet looked at.
struct TextBatch {
    std::string file;    // name for messages
    size_t segment = 0;  // of the unit
    uint32_t input = 0;
    bool begins_file = true;  // offset 0 is the begin of the input, where a byte order mark may be
    bool is_stream = false;   // a pipe
    corpus::Layout layout = corpus::Layout::kJsonLines;
    Block block;
    EncodedBatch result;  // memory to be used for it
};

/// Turns batches into ids. One per worker thread.
class BatchEncoder {
 public:
    explicit BatchEncoder(const UnitContext& context);
    EncodedBatch encode(TextBatch& batch);

 private:
    struct Line {
        std::string_view text;  // without its newline
        uint64_t row = 0, offset = 0;
        bool is_too_long = false, has_newline = true;
    };
    void encode_line(const TextBatch& batch, const Line& line, EncodedBatch& out);
    bool encode_text(std::string_view text, uint64_t row, EncodedBatch& out,
                     corpus::ScanResult& result);
    void add_bad(const TextBatch& batch, const Line& line, const corpus::ScanResult& result,
                 EncodedBatch& out) const;
    corpus::DocumentScanner& scanner_for(corpus::Layout layout);

    const UnitContext& context_;
    token::Encoder encoder_;
    corpus::DocumentScanner json_, lines_, file_;
};

}  // namespace longhaul::tokenize
