// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// dedup-minhash filter: applies a removal list that was written before.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/base/hash.h"
#include "lib/dedup/options.h"

namespace longhaul::dedup {

/// Rows that go, by the hash of the file as stored.
using RemovalRows = std::map<Hash128, std::vector<uint64_t>>;

/// Reads a removal list (longhaul-documents.5): of each line the members "file" and "row".
/// @param max_bytes of the rows in memory
/// @throws DataError naming file and line; UsageError when the rows do not fit
RemovalRows read_removal_rows(const std::string& path, uint64_t max_bytes);

/// Writes options.inputs without the records in options.removal_list.
/// @param takes_unlisted also files that neither the list nor its manifest names stay, whole;
///        else they are refused
/// @throws UsageError, DataError, IoError
ExitCode run_filter(const Options& options, bool takes_unlisted);

}  // namespace longhaul::dedup
