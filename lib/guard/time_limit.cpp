// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/time_limit.h"

#include <algorithm>

namespace longhaul::guard {

void TimeLimitNotice::start(int64_t now_unix_s, const std::optional<cluster::JobInfo>& job) {
    due_unix_s_.reset();
    if (notice_s_ <= 0 || !job || !job->time_left_s || !job->time_limit_s) return;
    const double notice_s = std::min(notice_s_, 0.25 * static_cast<double>(*job->time_limit_s));
    due_unix_s_ = now_unix_s + *job->time_left_s - static_cast<int64_t>(notice_s);
}

bool TimeLimitNotice::is_due(int64_t now_unix_s,
                             const std::function<std::optional<cluster::JobInfo>()>& ask) {
    if (!due_unix_s_ || now_unix_s < *due_unix_s_) return false;
    start(now_unix_s, ask());
    if (due_unix_s_ && now_unix_s < *due_unix_s_) return false;  // the limit was raised
    due_unix_s_.reset();
    return true;
}

}  // namespace longhaul::guard
