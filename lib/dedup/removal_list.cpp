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

RemovalList::RemovalList(const std::string& path, const std::vector<Source>& sources)
    : sources_(sources) {
    if (path.empty()) return;
    entry_.path = std::filesystem::path(path).filename().string();
    stream_ = io::open_output(path);
}

void RemovalList::add(const Decision& decision, const char* reason) {
    if (!stream_) return;
    const Place place = place_of(decision.id, sources_);
    buffer_ += format("{{\"file\":\"{}\",\"row\":{},\"reason\":\"{}\"",
                      sources_[place.input].stored_hash.hex(), place.row, reason);
    if (decision.verdict != Verdict::kBad) {
        const Place match = place_of(decision.match, sources_);
        buffer_ += format(",\"jaccard\":{:.6f},\"match_file\":\"{}\",\"match_row\":{}",
                          decision.jaccard, sources_[match.input].stored_hash.hex(), match.row);
    }
    buffer_ += "}\n";
    ++entry_.records;
    if (buffer_.size() > 1 << 16) {
        stream_->write(buffer_);
        buffer_.clear();
    }
}

record::FileEntry RemovalList::finish() {
    stream_->write(buffer_);
    stream_->close();
    entry_.bytes = stream_->stored_bytes();
    entry_.xxh3_128 = stream_->stored_hash();
    return entry_;
}

}  // namespace longhaul::dedup
