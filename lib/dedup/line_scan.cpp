// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/line_scan.h"

#include "lib/base/error.h"

namespace longhaul::dedup {

corpus::ScanResult LineScanner::scan(const Batch& batch, size_t line, corpus::Layout layout) {
    if (batch.lines[line].is_too_long) {
        corpus::ScanResult result;
        result.reason = corpus::Reason::kTooLong;
        result.detail = "see --max-line";
        return result;
    }
    const std::string_view content = batch.content(line);
    if (layout == corpus::Layout::kJsonLines) return json_.scan(content);
    return layout == corpus::Layout::kTextLines ? lines_.scan(content) : file_.scan(content);
}

corpus::BadRecord bad_record_of(const Batch& batch, size_t line, const corpus::ScanResult& result,
                                const std::string& input_name) {
    const BatchLine& at = batch.lines[line];
    return corpus::make_bad_record(input_name, result, batch.content(line),
                                   {batch.first_row + line, at.offset + at.mark_bytes});
}

bool is_cut_stream(const Input& input, const BatchLine& line, const corpus::ScanResult& result) {
    return input.is_stream && input.layout == corpus::Layout::kJsonLines && !line.has_newline &&
           (result.reason == corpus::Reason::kNotJson ||
            result.reason == corpus::Reason::kInvalidUtf8);
}

void fail_cut_stream(const corpus::BadRecord& bad) {
    throw DataError(
        format("{}: the stream was cut inside its last line; look at the program "
               "that writes it (set -o pipefail)",
               bad.describe()));
}

}  // namespace longhaul::dedup
