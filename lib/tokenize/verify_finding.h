// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Findings of `tok-shard verify`.

#include <string>

#include "lib/base/error.h"
#include "lib/record/finding.h"

namespace longhaul::tokenize {

/// A finding whose evidence does not name the subject once more.
record::Finding make_finding(record::Status status, const char* code, const std::string& subject,
                             std::string evidence, const char* remedy);
/// What an error tells: a failure with this remedy; but what can not be read now may be sound, so
/// that is unknown and no proof of damage. A file that is not there is damage.
record::Finding finding_of(const Error& error, const char* code, const std::string& subject,
                           const char* remedy);

}  // namespace longhaul::tokenize
