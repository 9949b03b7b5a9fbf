// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/ckpt/locate.h"
#include "lib/ckpt/retention.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {
namespace {

void print_item(const ckpt::RetentionItem& item, const char* verb, bool json) {
    if (json) {
        cli::print(io::to_line({{"schema", 1},
                                {"directory", item.directory.string()},
                                {"step", item.step},
                                {"action", verb},
                                {"reason", item.reason}}) +
                   "\n");
    } else {
        cli::print_line("{:<8} {}: {}", verb, item.directory.string(), item.reason);
    }
}

int64_t parse_step(const std::string& text) {
    int64_t step = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, step);
    if (error != std::errc() || stop != end || step < 0) {
        throw UsageError(format("--mine {}: not a step number", text));
    }
    return step;
}

}  // namespace

ExitCode run_gc(const cli::Args& args) {
    std::string path;
    ckpt::RetentionPolicy policy;
    std::string mine;
    bool keep_wrecks = false;
    bool dry_run = false;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("ckpt-reshard gc", "delete old checkpoints and wrecks");
    command.positional("DIR", path, "run directory or folder of step-* directories").required();
    command.option("--keep-last", policy.keep_last, "N", "newest loadable ones to keep")
        .range(1, 1e9);
    command.option("--keep-every", policy.keep_every, "N", "keep steps that are multiples of N");
    command.option("--mine", mine, "STEP", "keep this step and every newer one");
    command.flag("--keep-wrecks", keep_wrecks, "leave interrupted saves and damaged ones alone");
    command.flag("--dry-run", dry_run, "say what would be deleted");
    command.flag("--json", json, "a JSON object for each directory");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    if (!std::filesystem::is_directory(path)) {
        throw UsageError(format("{}: no such directory", path));
    }
    if (ckpt::is_checkpoint_directory(path)) {
        throw UsageError(format("{} is a checkpoint itself; name its folder or the run", path));
    }
    if (!mine.empty()) policy.mine = parse_step(mine);
    policy.remove_wrecks = !keep_wrecks;
    const auto folder = ckpt::checkpoint_folder(path);
    if (dry_run) {
        for (const auto& item : ckpt::plan_retention(folder, policy)) {
            print_item(item, item.is_kept ? "keep" : "delete", json);
        }
        return ExitCode::kOk;
    }
    for (const auto& item : ckpt::apply_retention(folder, policy)) {
        print_item(item, "deleted", json);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::ckpt_reshard
