// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Looks at a run directory from outside: the newest committed step, progress, exit.json. A run
// that writes none of these can still be guarded; then nothing is ever reported.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lib/guard/classify.h"

namespace longhaul::guard {

/// The number of the newest folder RUN/ckpt/step-XXXXXXXX that holds MANIFEST.json.
std::optional<uint64_t> newest_committed_step(const std::filesystem::path& run);

/// RUN/exit.json if it is there, complete, and of start `restart`; an older one, or one that is
/// no JSON (a torn write), counts as absent.
std::optional<ExitRecord> read_exit_record(const std::filesystem::path& run, uint64_t restart);

/// Notices changes of a progress file. Times are those of a steady clock, in seconds.
class ProgressWatch {
 public:
    /// @param file "" watches nothing.
    /// @param start_timeout_s until the first change, timeout_s between two; 0: for ever.
    ProgressWatch(std::filesystem::path file, double start_timeout_s, double timeout_s);

    /// Call when the command starts: what the file holds now is old.
    void start(double now_s);
    /// Call about once a second.
    void poll(double now_s);
    /// For how long there has been no progress, if that is too long.
    std::optional<double> stalled_for_s(double now_s) const;

 private:
    std::string content() const;

    std::filesystem::path file_;
    double start_timeout_s_;
    double timeout_s_;
    std::string last_content_;
    double last_change_s_ = 0;
    bool has_moved_ = false;
};

}  // namespace longhaul::guard
