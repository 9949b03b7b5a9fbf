// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The end of an encoding run: all units done, the manifest makes the output complete.

#include "lib/record/manifest.h"
#include "lib/tokenize/job.h"
#include "lib/tokenize/plan.h"
#include "lib/tokenize/unit_encoder.h"

namespace longhaul::tokenize {

/// Writes DIR/tokenizer/ and DIR/manifest.json when every unit has its record, else says how many
/// are missing. Two tasks that come here at once write the same bytes.
/// @throws DataError: more bad records than allowed
void finish_output(const UnitContext& context, const Plan& plan, const record::Manifest& asked);

/// Says that the ends of units are in no sample of fixed length; a warning when it is a tenth.
void tell_dropped(uint64_t dropped, uint64_t all, uint64_t sample_tokens);

/// For a complete output made from stdin or pipes: reads them to the end and compares.
/// @throws UsageError when they hold something else
void check_streams(const EncodeJob& job);

}  // namespace longhaul::tokenize
