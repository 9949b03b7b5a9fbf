// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/job_index.h"

#include <algorithm>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

namespace fs = std::filesystem;

/// "" when there is no place for it.
fs::path folder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state) return fs::path(state) / "longhaul/jobs";
    const char* home = std::getenv("HOME");
    return home && *home ? fs::path(home) / ".local/state/longhaul/jobs" : fs::path();
}

}  // namespace

void remember_job(const std::string& job_id, const std::filesystem::path& run) {
    if (job_id.empty() || run.empty() || folder().empty()) return;
    try {
        io::create_directories(folder());
        io::write_file_atomically(folder() / job_id, fs::absolute(run).string() + "\n");
    } catch (const std::exception& error) {
        log::debug("the job's run directory is not remembered: {}", error.what());
    }
}

std::optional<std::filesystem::path> run_of_job(const std::string& job_id) {
    const fs::path file = folder() / job_id;
    std::error_code ignored;
    if (folder().empty() || !fs::is_regular_file(file, ignored)) return std::nullopt;
    std::string text = io::read_text_file(file, 1 << 16);
    text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
    return fs::path(text);
}

}  // namespace longhaul::guard
