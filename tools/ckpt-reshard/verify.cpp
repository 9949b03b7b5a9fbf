// SPDX-License-Identifier: BSD-3-Clause
// verify and doctor: findings about checkpoints.
#include "lib/ckpt/verify.h"

#include <filesystem>

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

bool has_failed(const std::vector<record::Finding>& findings) {
    return record::exit_code(findings) != ExitCode::kOk;
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
    for (const std::string& path : paths) {
        const fs::path directory = fs::exists(fs::path(path) / ckpt::kManifestName)
                                       ? fs::path(path)
                                       : ckpt::locate_checkpoint(path);
        auto findings = ckpt::diagnose(directory);
        if (!has_failed(findings)) {
            const auto checkpoint = ckpt::Checkpoint::open(directory);
            const uint64_t bytes = ckpt::total_bytes(checkpoint.manifest());
            cli::Progress progress("verify", bytes, common.progress);
            const auto damaged = ckpt::verify_payload(
                checkpoint, {.threads = cli::resolve_threads(common.threads),
                             .on_progress = [&](uint64_t done) { progress.add(done); }});
            if (damaged.empty()) {
                findings = {
                    {record::Status::kOk, "ckpt.intact", directory.string(),
                     format("step {}, {} hashed", checkpoint.header().step, human_bytes(bytes)),
                     ""}};
            } else {
                findings = damaged;
            }
        }
        all.insert(all.end(), findings.begin(), findings.end());
    }
    return report(all, json);
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
