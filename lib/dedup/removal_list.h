// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Removal lists (longhaul-documents.5): one JSON object for each record that goes, in input order,
// named by the hash of its file and its row, so that other programs can apply it.

#include <memory>
#include <string>
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

class RemovalList {
 public:
    /// @param path empty: nothing is written
    RemovalList(const std::string& path, const std::vector<Source>& sources);

    /// Adds a decision that is not kKept. @param reason the words for it: "exact", "near", or the
    ///        key of a bad record's reason
    void add(const Decision& decision, const char* reason);
    /// Makes the list visible. @return its entry for the manifest
    record::FileEntry finish();
    bool is_wanted() const { return stream_ != nullptr; }

 private:
    const std::vector<Source>& sources_;
    record::FileEntry entry_;
    std::unique_ptr<io::OutputStream> stream_;
    std::string buffer_;
};

}  // namespace longhaul::dedup
