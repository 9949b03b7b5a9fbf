// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Manifests of what dedup-minhash writes (longhaul-manifest.5).

#include <string>
#include <vector>

#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/output.h"
#include "lib/dedup/sign.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// True when the output asked for is there, made by the same options from the same inputs.
/// @param sources with the inputs' hashes; empty: these are computed
/// @throws UsageError naming the first difference, unless forced
bool is_complete(const Options& options, const Inputs& inputs, Target target,
                 const std::vector<Source>& sources = {});

/// Called before an output is made again: takes away the manifest of an earlier one, so that a
/// crash leaves it unfinished, and the files that it lists in a folder, except those that are
/// inputs.
void retract_earlier_output(const Options& options, const Inputs& inputs, Target target);

/// Writes the manifest of the output (beside it or inside its folder), of the removal list, and the
/// one that --manifest asks. @param details JSON object of its details; empty: those of a run
void write_manifests(const Options& options, const Inputs& inputs, Target target,
                     const std::vector<Source>& sources,
                     const std::vector<record::FileEntry>& outputs,
                     const record::FileEntry& removal_list, const std::string& details = "");

}  // namespace longhaul::dedup
