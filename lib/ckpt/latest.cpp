// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/latest.h"

#include <algorithm>
#include <charconv>

#include "lib/base/error.h"
#include "lib/ckpt/commit.h"
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

/// A file that is not there is damage; one that cannot be read now (EACCES, EIO, ESTALE) is not.
bool is_absence(int error_number) {
    return error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR;
}

/// @throws IoError when the size of a file cannot be asked although the file may be there.
void check_reachable(const fs::path& directory, const Manifest& manifest) {
    for (const FileEntry& file : manifest.files) {
        std::error_code error;
        [[maybe_unused]] const uintmax_t size = fs::file_size(directory / file.name, error);
        if (error && !is_absence(error.value())) {
            throw IoError(format("cannot examine {}", (directory / file.name).string()),
                          error.value());
        }
    }
}

/// Damage becomes the candidate's reason. @throws IoError when it cannot be told (kThrow).
Candidate examine(const fs::path& directory, int64_t step_by_name, Unreadable unreadable) {
    Candidate candidate{directory, step_by_name, "", {}};
    try {
        const Manifest manifest = read_manifest(directory);
        candidate.step = manifest.header.step;
        candidate.self = manifest.self;
        check_reachable(directory, manifest);
        candidate.reason = missing_content(directory, manifest).value_or("");
    } catch (const IoError& error) {
        if (unreadable == Unreadable::kThrow && !is_absence(error.error_number())) throw;
        candidate.reason = error.describe();
    } catch (const Error& error) {
        candidate.reason = error.describe();
    }
    return candidate;
}

std::vector<Candidate> finish_and_list(const fs::path& run_checkpoints) {
    for (const fs::path& done : finish_interrupted_commits(run_checkpoints)) {
        log::warn("{}: finished a commit that a crash had interrupted", done.string());
    }
    return list_checkpoints(run_checkpoints);
}

/// Moves `next` to the first loadable candidate. @return hex of the manifest's hash, then the
/// directory; "" when none is left.
std::string choose(const std::vector<Candidate>& candidates, size_t& next) {
    for (; next < candidates.size(); ++next) {
        const Candidate& candidate = candidates[next];
        if (candidate.is_loadable()) return candidate.self.hex() + candidate.directory.string();
        log::warn("skipping {}: {}", candidate.directory.string(), candidate.reason);
    }
    return "";
}

/// Opens what rank 0 chose, and checks that every rank reads the same manifest.
Checkpoint open_choice(const std::string& choice, comm::Comm& comm) {
    std::optional<Checkpoint> checkpoint;
    comm::agree_on(comm, [&] {
        const fs::path directory = choice.substr(32);
        checkpoint = Checkpoint::open(directory);
        if (checkpoint->manifest().self.hex() == choice.substr(0, 32)) return;
        throw DataError(
            format("{}: this rank reads another manifest ({}) than rank 0 ({}): "
                   "stale file system cache, or the file is being replaced",
                   (directory / kManifestName).string(), checkpoint->manifest().self.hex(),
                   choice.substr(0, 32)));
    });
    return *checkpoint;
}

}  // namespace

std::vector<Candidate> list_checkpoints(const fs::path& run_checkpoints, Unreadable unreadable) {
    std::vector<Candidate> candidates;
    if (!fs::exists(run_checkpoints)) return candidates;
    std::error_code error;
    for (fs::directory_iterator it(run_checkpoints, error), end; !error && it != end;
         it.increment(error)) {
        const auto step = step_of_name(it->path().filename().string());
        if (step) candidates.push_back(examine(it->path(), *step, unreadable));
    }
    if (error) throw IoError(format("cannot list {}", run_checkpoints.string()), error.value());
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(b.step, b.directory) < std::tie(a.step, a.directory);
    });
    return candidates;
}

bool load_latest(const fs::path& run_checkpoints, comm::Comm& comm,
                 const std::function<std::string(const Checkpoint&)>& load) {
    std::vector<Candidate> candidates;  // on rank 0
    comm::agree_on(comm, [&] {
        if (comm.rank() == 0) candidates = finish_and_list(run_checkpoints);
    });
    size_t next = 0;
    while (true) {
        const std::string choice = comm.broadcast_bytes(
            comm.rank() == 0 ? choose(candidates, next) : "", 0, tag("checkpoint choice"));
        if (choice.empty()) break;
        const std::string damage = load(open_choice(choice, comm));
        if (damage.empty()) return true;
        if (comm.rank() == 0) candidates[next].reason = damage;
    }
    comm::agree_on(comm, [&] {
        if (candidates.empty()) return;
        throw DataError(
            format("{} checkpoint{} in {}, none can be loaded ({}); repair or move "
                   "them away, or use another --run",
                   candidates.size(), candidates.size() == 1 ? "" : "s", run_checkpoints.string(),
                   candidates.front().reason));
    });
    return false;
}

std::optional<Checkpoint> latest(const fs::path& run_checkpoints, comm::Comm& comm) {
    std::optional<Checkpoint> found;
    load_latest(run_checkpoints, comm, [&](const Checkpoint& checkpoint) {
        found = checkpoint;
        return std::string();
    });
    return found;
}

}  // namespace longhaul::ckpt
