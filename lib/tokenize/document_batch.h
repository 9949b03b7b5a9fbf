// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Batches of records on their way through the workers.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/corpus/bad_records.h"
#include "lib/corpus/document_scanner.h"
#include "lib/token/encoder.h"
#include "lib/tokenize/unit_encoder.h"

namespace longhaul::tokenize {

/// Lines of one segment as read, not yet looked at.
struct LineBatch {
    struct Line {
        size_t begin = 0, size = 0;  // in `bytes`
        uint64_t row = 0, offset = 0;
        bool is_too_long = false;
    };
    std::string file;  // name for messages
    uint32_t input = 0;
    bool begins_file = true;  // offset 0 is the begin of the input, where a byte order mark may be
    corpus::Layout layout = corpus::Layout::kJsonLines;
    std::string bytes;
    std::vector<Line> lines;
};

/// The same batch encoded, in order.
struct EncodedBatch {
    struct Document {
        size_t num_ids = 0;
        uint64_t row = 0;
    };
    uint32_t input = 0;
    std::vector<uint32_t> ids;
    std::vector<Document> documents;
    UnitCounts counts;
    corpus::BadRecords bad;
};

/// Turns line batches into ids. One per worker thread.
class BatchEncoder {
 public:
    explicit BatchEncoder(const UnitContext& context);
    /// @throws DataError at a bad record under --on-bad-record=fail
    EncodedBatch encode(LineBatch& batch);

 private:
    void encode_line(const LineBatch& batch, const LineBatch::Line& line,
                     corpus::DocumentScanner& scanner, EncodedBatch& out);
    void add_bad(const LineBatch& batch, const LineBatch::Line& line,
                 const corpus::ScanResult& result, EncodedBatch& out);

    const UnitContext& context_;
    token::Encoder encoder_;
};

}  // namespace longhaul::tokenize
