// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run would write, checked before any work: nothing may be lost by a slip of the command
// line, and nothing found out only at the end.

#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/output.h"

namespace longhaul::dedup {

/// Looks at everything that a run writes; changes nothing.
/// @throws UsageError when two of them are one file, when one is an input or a --parent, when an
///         existing file that is not the run's own would be replaced without --force, when a name
///         can not be written as asked, or when the folder for temporary files is missing
void check_paths(const Options& options, const Inputs& inputs, Target target);

/// @param role what the path is to the user
/// @throws UsageError when it is inside a folder that is given as an input: the next run would read
///         what this one writes there
void refuse_inside_inputs(const std::string& role, const std::string& path, const Options& options);

/// Tries whether output, removal list, report and manifest can be written where they are asked;
/// these may be inside the output's folder, which is made then.
/// @throws IoError when not
void probe_paths(const Options& options, Target target);

}  // namespace longhaul::dedup
