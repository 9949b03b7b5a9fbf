// SPDX-License-Identifier: BSD-3-Clause
// verify and doctor: findings about checkpoints.
#include "lib/ckpt/verify.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/ckpt/locate.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/cli/progress.h"
#include "lib/io/json.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {
namespace {

namespace fs = std::filesystem;

ExitCode report(const std::vector<record::Finding>& findings, bool json) {
    if (json) {
        cli::print(io::to_line({{"schema", 1}, {"findings", record::to_json(findings)}}) + "\n");
    } else {
        cli::print(record::to_text(findings));
    }
    return record::exit_code(findings);
}

/// The checkpoint to verify: `path` itself when it is or was to be one, else the newest in it; when
/// none there is loadable, the newest of the damaged ones.
fs::path checkpoint_to_verify(const fs::path& path) {
    const fs::path plain = path.has_filename() ? path : path.parent_path();
    const bool is_step = plain.filename().string().starts_with("step-");
    if (fs::is_directory(plain) && (is_step || ckpt::is_checkpoint_directory(plain))) return plain;
    const auto candidates = ckpt::list_checkpoints(ckpt::checkpoint_folder(plain));
    const bool has_any = std::any_of(candidates.begin(), candidates.end(),
                                     [](const auto& item) { return item.is_loadable(); });
    return has_any || candidates.empty() ? ckpt::locate_checkpoint(plain)
                                         : candidates.front().directory;
}

std::vector<record::Finding> verify_one(const fs::path& directory,
                                        const cli::CommonOptions& common) {
    auto findings = ckpt::diagnose(directory);
    if (record::exit_code(findings) != ExitCode::kOk) return findings;
    const auto checkpoint = ckpt::Checkpoint::open(directory);
    const uint64_t bytes = ckpt::total_bytes(checkpoint.manifest());
    cli::Progress progress("verify", bytes, common.progress);
    auto damaged =
        ckpt::verify_payload(checkpoint, {.threads = cli::resolve_threads(common.threads),
                                          .on_progress = [&](uint64_t n) { progress.add(n); }});
    if (!damaged.empty()) return damaged;
    return {{record::Status::kOk, "ckpt.intact", directory.string(),
             format("step {}, {} hashed", checkpoint.header().step, human_bytes(bytes)), ""}};
}

}  // namespace

ExitCode run_verify(const cli::Args& args) {
    std::vector<std::string> paths;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard verify", "check every byte of a checkpoint");
    command.positional("CKPT", paths, "checkpoints, or folders of them: their newest").required();
    command.flag("--json", json, "one JSON object on stdout");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress | cli::kThreads);
    command.parse(args);
    std::vector<record::Finding> all;
    std::string problem;  // of the first path that leads nowhere; the others are verified
    for (const std::string& path : paths) {
        fs::path directory;
        try {
            directory = checkpoint_to_verify(path);
        } catch (const UsageError& error) {
            if (problem.empty()) problem = error.what();
            continue;
        }
        const auto findings = verify_one(directory, common);
        all.insert(all.end(), findings.begin(), findings.end());
    }
    if (problem.empty()) return report(all, json);
    if (!all.empty()) report(all, json);
    throw UsageError(problem);
}

ExitCode run_doctor(const cli::Args& args) {
    std::vector<std::string> paths;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard doctor", "say why a directory can not be loaded");
    command.positional("DIR", paths, "checkpoints, folders of them, or run directories").required();
    command.flag("--json", json, "one JSON object on stdout");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    std::vector<record::Finding> all;
    for (const std::string& path : paths) {
        std::vector<fs::path> directories;
        for (const auto& candidate : ckpt::list_checkpoints(ckpt::checkpoint_folder(path))) {
            directories.push_back(candidate.directory);
        }
        if (directories.empty()) directories.push_back(path);
        for (const fs::path& directory : directories) {
            const auto findings = ckpt::diagnose(directory);
            all.insert(all.end(), findings.begin(), findings.end());
        }
    }
    return report(all, json);
}

}  // namespace longhaul::ckpt_reshard
