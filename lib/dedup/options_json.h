// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options that decide the output, and no others, as JSON: for manifests and plans.

#include <string>

#include "lib/base/hash.h"
#include "lib/dedup/options.h"
#include "lib/io/json_fwd.h"

namespace longhaul::dedup {

/// What decides which documents are found and go.
io::Json parameters_json(const Options& options);
io::Json options_json(const Options& options);
/// The same back, but for --annotate and --against; everything else keeps its default. @throws
/// DataError naming `source` and member
Options options_from_json(const io::Json& json, const std::string& source);

/// Names everything that decides the band keys and exact hashes of documents: stage files can be
/// used together when it is equal.
Hash128 keys_hash(const Options& options);

}  // namespace longhaul::dedup
