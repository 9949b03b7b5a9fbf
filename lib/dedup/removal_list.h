// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Removal lists (longhaul-documents.5): one JSON object for each record that goes, in input order,
// named by the hash of its file and its row, so that other programs can apply it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/dedup/cluster.h"
#include "lib/dedup/sign.h"
#include "lib/io/stream.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// Input and row of an id.
struct Place {
    size_t input = 0;
    uint64_t row = 0;
};
/// @param sources in input order, their first_id set
Place place_of(uint64_t id, const std::vector<Source>& sources);

/// Turns decisions into lines. Not thread-safe.
class RemovalList {
 public:
    /// Takes whole lines. @param records how many
    using Sink = std::function<void(std::string_view lines, uint64_t records)>;
    /// @param sink null: nothing is made. @param sources must outlive this
    RemovalList(Sink sink, const std::vector<Source>& sources)
        : sink_(std::move(sink)), sources_(sources) {}

    /// Adds a decision that is not kKept. @param reason the words for it: "exact", "near", or the
    ///        key of a bad record's reason
    void add(const Decision& decision, const char* reason);
    const std::vector<Source>& sources() const { return sources_; }
    /// Gives the last lines to the sink.
    void flush();

 private:
    Sink sink_;
    const std::vector<Source>& sources_;
    std::string buffer_;
    uint64_t num_records_ = 0;
};

/// The file of a removal list.
class RemovalFile {
 public:
    explicit RemovalFile(const std::string& path);
    void write(std::string_view lines, uint64_t records);
    /// Makes the list visible. @return its entry for the manifest
    record::FileEntry finish();

 private:
    record::FileEntry entry_;
    std::unique_ptr<io::OutputStream> stream_;
};

}  // namespace longhaul::dedup
