// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_list.h"

#include <filesystem>

#include "lib/base/format.h"

namespace longhaul::dedup {

void append_span_line(const Hash128& file, uint64_t row, const char* reason,
                      std::span<const corpus::TextSpan> spans, std::string& out) {
    out += format("{{\"file\":\"{}\",\"row\":{},\"reason\":\"{}\"", file.hex(), row, reason);
    if (!spans.empty()) {
        out += ",\"spans\":[";
        for (const corpus::TextSpan& span : spans) {
            out += format("[{},{}],", span.begin, span.end);
        }
        out.back() = ']';
    }
    out += "}\n";
}

SpanList::SpanList(const std::string& path) {
    if (path.empty()) return;
    entry_.path = std::filesystem::path(path).filename().string();
    stream_ = io::open_output(path);
}

void SpanList::write(std::string_view lines, uint64_t num_lines) {
    if (!stream_) return;
    stream_->write(lines);
    entry_.records += num_lines;
}

record::FileEntry SpanList::finish() {
    stream_->close();
    entry_.bytes = stream_->stored_bytes();
    entry_.xxh3_128 = stream_->stored_hash();
    return entry_;
}

}  // namespace longhaul::dedup
