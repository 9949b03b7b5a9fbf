// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/removal_list.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "lib/base/format.h"

namespace longhaul::dedup {

Place place_of(uint64_t id, const std::vector<Source>& sources) {
    // The last source that begins at or before the id and is not empty.
    const auto after =
        std::upper_bound(sources.begin(), sources.end(), id,
                         [](uint64_t key, const Source& source) { return key < source.first_id; });
    auto source = std::prev(after);
    return {static_cast<size_t>(source - sources.begin()), id - source->first_id};
}

void RemovalList::add(const Decision& decision, const char* reason) {
    if (!sink_) return;
    const Place place = place_of(decision.id, sources_);
    buffer_ += format("{{\"file\":\"{}\",\"row\":{},\"reason\":\"{}\"",
                      sources_[place.input].stored_hash.hex(), place.row, reason);
    if (decision.verdict != Verdict::kBad) {
        const Place match = place_of(decision.match, sources_);
        buffer_ += format(",\"jaccard\":{:.6f},\"match_file\":\"{}\",\"match_row\":{}",
                          decision.jaccard, sources_[match.input].stored_hash.hex(), match.row);
    }
    buffer_ += "}\n";
    ++num_records_;
    if (buffer_.size() > 1 << 16) flush();
}

void RemovalList::flush() {
    if (!buffer_.empty()) sink_(buffer_, num_records_);
    buffer_.clear();
    num_records_ = 0;
}

RemovalFile::RemovalFile(const std::string& path) : stream_(io::open_output(path)) {
    entry_.path = std::filesystem::path(path).filename().string();
}

void RemovalFile::write(std::string_view lines, uint64_t records) {
    stream_->write(lines);
    entry_.records += records;
}

record::FileEntry RemovalFile::finish() {
    stream_->close();
    entry_.bytes = stream_->stored_bytes();
    entry_.xxh3_128 = stream_->stored_hash();
    return entry_;
}

}  // namespace longhaul::dedup
