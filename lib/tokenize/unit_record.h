// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DIR/.units/unit-00000.json: what a finished unit found, so that a rerun or another task of a job
// array need not do it again.

#include <filesystem>
#include <optional>
#include <string>

#include "lib/io/json_fwd.h"
#include "lib/tokenize/unit_encoder.h"

namespace longhaul::tokenize {

io::Json counts_to_json(const UnitCounts& counts);

void write_unit_record(const std::filesystem::path& folder, uint64_t number,
                       const UnitResult& result);
/// The record of a unit whose shards are there with their sizes; nothing when it must be redone.
std::optional<UnitResult> read_unit_record(const std::filesystem::path& folder, uint64_t number);

}  // namespace longhaul::tokenize
