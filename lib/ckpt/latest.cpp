// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/load.h"
#include "lib/comm/comm.h"
#include "lib/log/log.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

comm::Tag tag(const char* what) {
    return {.what = what};
}

/// "step-00001000" gives 1000; nothing for other names.
std::optional<int64_t> step_of_name(const std::string& name) {
    static constexpr std::string_view kPrefix = "step-";
    if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return std::nullopt;
    int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
    if (error != std::errc() || stop != end || step < 0) return std::nullopt;
    return step;
}

Candidate examine(const fs::path& directory, int64_t step_by_name) {
    Candidate candidate{directory, step_by_name, "", {}};
    try {
        const Manifest manifest = read_manifest(directory);
        candidate.step = manifest.header.step;
        candidate.self = manifest.self;
        candidate.reason = missing_content(directory, manifest).value_or("");
    } catch (const Error& error) {
        candidate.reason = error.describe();
    }
    return candidate;
}

}  // namespace

std::vector<Candidate> list_checkpoints(const fs::path& run_checkpoints) {
    std::vector<Candidate> candidates;
    if (!fs::exists(run_checkpoints)) return candidates;
    std::error_code error;
    for (fs::directory_iterator it(run_checkpoints, error), end; !error && it != end;
         it.increment(error)) {
        const auto step = step_of_name(it->path().filename().string());
        if (step) candidates.push_back(examine(it->path(), *step));
    }
    if (error) throw IoError(format("cannot list {}", run_checkpoints.string()), error.value());
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(b.step, b.directory) < std::tie(a.step, a.directory);
    });
    return candidates;
}

std::optional<Checkpoint> latest(const fs::path& run_checkpoints, comm::Comm& comm) {
    std::string problem;
    std::string choice;  // hex of the manifest's hash, then the directory; "" when there is none
    if (comm.rank() == 0) {
        try {
            for (const fs::path& done : finish_interrupted_commits(run_checkpoints)) {
                log::warn("{}: finished a commit that a crash had interrupted", done.string());
            }
            for (const Candidate& candidate : list_checkpoints(run_checkpoints)) {
                if (candidate.is_loadable()) {
                    choice = candidate.self.hex() + candidate.directory.string();
                    break;
                }
                log::warn("skipping {}: {}", candidate.directory.string(), candidate.reason);
            }
        } catch (const Error& error) {
            problem = error.describe();
        }
    }
    comm::agree(comm, problem);
    choice = comm.broadcast_bytes(choice, 0, tag("checkpoint choice"));
    if (choice.empty()) return std::nullopt;
    std::optional<Checkpoint> checkpoint;
    comm::agree_on(comm, [&] {
        const fs::path directory = choice.substr(32);
        checkpoint = Checkpoint::open(directory);
        if (checkpoint->manifest().self.hex() != choice.substr(0, 32)) {
            throw DataError(
                format("{}: this rank reads another manifest ({}) than rank 0 ({}): "
                       "stale file system cache, or the file is being replaced",
                       (directory / kManifestName).string(), checkpoint->manifest().self.hex(),
                       choice.substr(0, 32)));
        }
    });
    return checkpoint;
}

}  // namespace longhaul::ckpt
