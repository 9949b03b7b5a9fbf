// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Takes what nccl-probe found about a node, so that it falls under the same exit codes and drain
// reason as the node's own checks.

#include <optional>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/record/finding.h"

namespace longhaul::health {

/// Findings of `json` (an object with "findings", as all our tools print with --json).
/// @throws DataError
std::vector<record::Finding> findings_from_json(const io::Json& json, const std::string& source);

/// An unknown finding when `json` lists the members it measured and `host` is none of them.
std::optional<record::Finding> finding_of_absence(const io::Json& json, const std::string& host);

/// Those about `host`: its own ones as they are; failed links that end at it as warnings, since the
/// other end may be the bad one; time-outs of the whole world and the like are left out.
/// One ok finding when nothing concerns it.
std::vector<record::Finding> findings_about(const std::vector<record::Finding>& findings,
                                            const std::string& host);

}  // namespace longhaul::health
