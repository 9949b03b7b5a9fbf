// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Why a run ended. longhaul-faults.7 has a section for each cause.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::guard {

enum class Cause {
    kFinished,
    kStopped,  // by the stop file: saved, and does not want to go on
    kNotice,   // saved because a signal asked for it, for no reason that Slurm knows
    kTimeLimit,
    kPreemption,
    kCancelled,
    kNode,
    kGpu,
    kNetwork,
    kHang,
    kMemory,
    kDisk,
    kData,
    kNonFinite,
    kConfiguration,
    kCode,
};

/// "time-limit": the word in exit.json, faults.jsonl and policy files.
const char* cause_name(Cause cause);
std::optional<Cause> parse_cause(std::string_view name);
const std::vector<Cause>& all_causes();

/// What the cause means, as the end of "ended because ...".
const char* cause_meaning(Cause cause);
/// What a person should do about it; "" when nothing.
const char* cause_remedy(Cause cause);

/// The cause lies with one host: a second strike of the same host excludes it.
bool is_host_fault(Cause cause);
/// Nothing went wrong: the run ended because it was told to.
bool is_orderly(Cause cause);

}  // namespace longhaul::guard
