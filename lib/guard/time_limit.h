// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// job-guard's own notice before the time limit, for jobs submitted without --signal. The limit may
// be changed while the job runs: it is read again before the notice is given.

#include <cstdint>
#include <functional>
#include <optional>

#include "lib/cluster/job_info.h"

namespace longhaul::guard {

class TimeLimitNotice {
 public:
    /// @param notice_s so long before the limit, but at most a quarter of it; 0: never
    explicit TimeLimitNotice(double notice_s) : notice_s_(notice_s) {}

    /// At each start of the command.
    void start(int64_t now_unix_s, const std::optional<cluster::JobInfo>& job);
    /// True once, when the limit is near. @param ask reads the job anew
    bool is_due(int64_t now_unix_s, const std::function<std::optional<cluster::JobInfo>()>& ask);

 private:
    double notice_s_;
    std::optional<int64_t> due_unix_s_;
};

}  // namespace longhaul::guard
