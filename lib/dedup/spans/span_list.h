// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists of removed passages (longhaul-documents.5, "REMOVAL LISTS"): one JSON object for each
// document that something was cut out of, and for each bad record.

#include <memory>
#include <span>
#include <string>

#include "lib/corpus/json_cut.h"
#include "lib/io/stream.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// One line of such a list. @param reason "cut", "dropped" or the key of a bad record's reason
/// @param spans empty for a bad record
void append_span_line(const Hash128& file, uint64_t row, const char* reason,
                      std::span<const corpus::TextSpan> spans, std::string& out);

class SpanList {
 public:
    /// @param path empty: nothing is written
    explicit SpanList(const std::string& path);

    bool is_wanted() const { return stream_ != nullptr; }
    void write(std::string_view lines, uint64_t num_lines);
    /// Makes the list visible. @return its entry for the manifest
    record::FileEntry finish();

 private:
    record::FileEntry entry_;
    std::unique_ptr<io::OutputStream> stream_;
};

}  // namespace longhaul::dedup
