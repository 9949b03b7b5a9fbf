// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/retention.h"

#include <chrono>

#include "lib/base/error.h"
#include "lib/ckpt/commit.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

/// Reads the class lazily: only of checkpoints about to be deleted.
bool is_milestone(const Candidate& candidate) {
    return read_manifest(candidate.directory).header.checkpoint_class == "milestone";
}

bool is_newer_than_mine(const Candidate& candidate, const RetentionPolicy& policy) {
    return policy.mine && candidate.step > *policy.mine;
}

/// Why a loadable checkpoint stays; "" when it goes. `place` counts loadable ones from the newest,
/// those that are newer than this run's left out: their content may be what the run stepped over.
std::string reason_to_keep(const Candidate& candidate, int64_t place,
                           const RetentionPolicy& policy) {
    if (is_newer_than_mine(candidate, policy)) return "newer than this run's";
    if (place == 0) return "newest loadable";
    if (policy.mine && candidate.step == *policy.mine) return "this run's own";
    if (place < policy.keep_last) return format("one of the last {}", policy.keep_last);
    if (policy.keep_every > 0 && candidate.step % policy.keep_every == 0) {
        return format("multiple of {}", policy.keep_every);
    }
    if (is_milestone(candidate)) return "milestone";
    return "";
}

RetentionItem decide_wreck(const Candidate& candidate, std::optional<int64_t> newest_loadable,
                           const RetentionPolicy& policy) {
    const bool is_older = newest_loadable && candidate.step < *newest_loadable;
    if (policy.remove_wrecks && policy.remove_damaged && is_older) {
        return {candidate.directory, candidate.step, false, "not loadable: " + candidate.reason};
    }
    return {candidate.directory, candidate.step, true,
            "not loadable, kept for examination: " + candidate.reason};
}

/// Seconds since anything was created, renamed or deleted in the directory.
double age_s(const fs::path& directory) {
    std::error_code error;
    const auto changed = fs::last_write_time(directory, error);
    if (error) return 0;
    return std::chrono::duration<double>(fs::file_time_type::clock::now() - changed).count();
}

/// Temporaries and trash. A complete temporary whose final name is free is an interrupted commit
/// that the next resume finishes: kept.
void add_hidden(std::vector<RetentionItem>& items, const fs::path& folder, double wreck_age_s) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (is_trash_name(name)) {
            items.push_back({it->path(), -1, false, "already deleted"});
            continue;
        }
        const auto final_name = final_name_of_temporary(name);
        if (!final_name || !final_name->starts_with("step-")) continue;
        const bool is_complete =
            fs::exists(it->path() / kManifestName) && !fs::exists(folder / *final_name);
        const bool is_young = age_s(it->path()) < wreck_age_s;
        items.push_back({it->path(), -1, is_complete || is_young,
                         is_complete ? "interrupted commit: resume the run to finish it"
                         : is_young  ? "touched a short time ago: a save may be running"
                                     : "interrupted save"});
    }
}

}  // namespace

std::vector<RetentionItem> plan_retention(const fs::path& run_checkpoints,
                                          const RetentionPolicy& policy) {
    std::vector<RetentionItem> items;
    const std::vector<Candidate> candidates = list_checkpoints(run_checkpoints);
    int64_t place = 0;
    std::optional<int64_t> newest;
    for (const Candidate& candidate : candidates) {
        if (!candidate.is_loadable()) {
            items.push_back(decide_wreck(candidate, newest, policy));
            continue;
        }
        if (!newest) newest = candidate.step;
        const std::string reason = reason_to_keep(candidate, place, policy);
        if (!is_newer_than_mine(candidate, policy)) ++place;
        items.push_back({candidate.directory, candidate.step, !reason.empty(),
                         reason.empty() ? "older than what is kept" : reason});
    }
    if (policy.remove_wrecks) add_hidden(items, run_checkpoints, policy.wreck_age_s);
    return items;
}

std::vector<RetentionItem> apply_retention(const fs::path& run_checkpoints,
                                           const RetentionPolicy& policy) {
    std::vector<RetentionItem> deleted;
    for (RetentionItem& item : plan_retention(run_checkpoints, policy)) {
        if (item.is_kept) continue;
        if (is_trash_name(item.directory.filename().string())) {
            remove_directory(item.directory);
        } else {
            trash_directory(item.directory);
        }
        deleted.push_back(std::move(item));
    }
    return deleted;
}

}  // namespace longhaul::ckpt
