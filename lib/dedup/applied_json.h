// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a process that wrote a part of the output tells the one that completes it.

#include <span>
#include <string>
#include <vector>

#include "lib/dedup/sign.h"
#include "lib/io/json_fwd.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// @param entries of what was written. @param sources of its inputs, with the counts of what went
io::Json applied_json(const std::vector<record::FileEntry>& entries,
                      std::span<const Source> sources);

/// Adds the entries to `entries` and sets the counts of `sources`.
/// @throws DataError naming `source`
void read_applied_json(const io::Json& json, const std::string& source,
                       std::vector<record::FileEntry>& entries, std::span<Source> sources);

}  // namespace longhaul::dedup
