// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What job-guard does about each cause, and its limits: the file of --policy (job-guard.1).

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/config/schema.h"
#include "lib/guard/cause.h"

namespace longhaul::guard {

enum class Reaction {
    kRestart,  // in the allocation; by requeue when that can not be done
    kRequeue,
    kHold,  // requeue, held until a person releases it
    kStop,  // end with the command's exit code
};

struct Policy {
    // [restart]
    bool in_place = true;
    int64_t max_without_progress = 3;
    double delay_s = 2;
    int64_t min_nodes = 0;
    // [requeue]
    int64_t max_requeues = 100;
    bool exclude_hosts = true;
    int64_t max_excluded = 8;
    // [hang]
    double start_timeout_s = 1800;
    double timeout_s = 900;
    double kill_grace_s = 30;
    // [notice]
    double notice_s = 120;
    std::string notice_signal = "USR1";
    // [preflight]
    std::vector<std::string> preflight;
    double preflight_timeout_s = 120;
    // [causes]: "restart", "requeue", "hold" or "stop" for each cause that is a failure
    std::map<Cause, std::string> reactions = default_reactions();

    Reaction reaction(Cause cause) const;
    static std::map<Cause, std::string> default_reactions();
};

/// The keys of a policy file, bound to `policy`, which must outlive the Schema.
config::Schema policy_schema(Policy& policy);

/// @param path "" for the defaults. @throws UsageError naming file, line and key
Policy load_policy(const std::filesystem::path& path);

}  // namespace longhaul::guard
