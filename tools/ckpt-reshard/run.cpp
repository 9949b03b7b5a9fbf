// SPDX-License-Identifier: BSD-3-Clause
// plan and run: same options, same plan.
#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/ckpt/locate.h"
#include "lib/ckpt/reshard.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/cli/progress.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tools/ckpt-reshard/commands.h"

namespace longhaul::ckpt_reshard {
namespace {

struct Options {
    std::string source, destination, layout, dtype;
    bool json = false;
    bool force = false;
    bool dry_run = false;
    cli::Bytes memory{1ull << 30};
    cli::CommonOptions common;
};

Options parse(const cli::Args& args, bool is_plan) {
    Options options;
    cli::Command command(is_plan ? "ckpt-reshard plan" : "ckpt-reshard run",
                         is_plan ? "say what a reshard would read and write"
                                 : "write a checkpoint in another layout");
    command.positional("SRC", options.source, "checkpoint, or a folder of them: its newest")
        .required();
    auto destination = command.positional("DST", options.destination, "checkpoint to write");
    if (!is_plan) destination.required();
    command.option("--to", options.layout, "LAYOUT", "such as tp=2,pp=2,dp_shard=3,zero=1")
        .required();
    command.option("--dtype", options.dtype, "TYPE", "convert the master weights (bf16, f32, f64)")
        .choices({"bf16", "f32", "f64"});
    if (!is_plan) {
        command.flag("--force", options.force, "replace an existing DST");
        command.flag("--dry-run", options.dry_run, "do as plan does");
    }
    command.option("--memory", options.memory, "SIZE", "cap of buffers and cache");
    command.flag("--json", options.json, "one JSON object on stdout");
    cli::add_common_options(command, options.common,
                            cli::kQuietVerbose | cli::kProgress | cli::kThreads);
    command.parse(args);
    return options;
}

ckpt::ReshardOptions reshard_options(const Options& options) {
    ckpt::ReshardOptions result;
    result.layout = ckpt::parse_layout(options.layout);
    if (!options.dtype.empty()) result.master_dtype = tensor::dtype_from_name(options.dtype);
    result.threads = cli::resolve_threads(options.common.threads);
    if (options.memory.value < (1u << 20)) throw UsageError("--memory: at least 1MiB");
    result.memory_bytes = options.memory.value;
    result.force = options.force;
    return result;
}

ExitCode show_plan(const ckpt::Checkpoint& source, const ckpt::ReshardOptions& options, bool json) {
    const auto shares = ckpt::share_memory(options.memory_bytes, options.threads);
    const ckpt::ReshardPlan plan = ckpt::plan_reshard(
        source.manifest(), {options.layout, options.master_dtype, shares.max_slice_bytes});
    const ckpt::PlanCost cost = ckpt::plan_cost(source, plan);
    const uint64_t source_bytes = ckpt::total_bytes(source.manifest());
    if (json) {
        cli::print(io::to_line({{"schema", 1},
                                {"from", ckpt::layout_text(source.header().layout)},
                                {"to", ckpt::layout_text(options.layout)},
                                {"tensors", plan.tensors.size()},
                                {"source_files", source.manifest().files.size()},
                                {"source_slices", source.manifest().slices.size()},
                                {"source_bytes", source_bytes},
                                {"files", plan.files.size()},
                                {"slices", plan.slices.size()},
                                {"bytes", cost.payload_bytes},
                                {"pieces", cost.pieces},
                                {"uncached_read_bytes", cost.read_bytes}}) +
                   "\n");
        return ExitCode::kOk;
    }
    cli::print_line("from    {}: {} in {} files, {} slices",
                    ckpt::layout_text(source.header().layout), human_bytes(source_bytes),
                    source.manifest().files.size(), source.manifest().slices.size());
    cli::print_line("to      {}: {} in {} files, {} slices", ckpt::layout_text(options.layout),
                    human_bytes(cost.payload_bytes), plan.files.size(), plan.slices.size());
    cli::print_line("copies  {} overlaps of {} tensors", cost.pieces, plan.tensors.size());
    cli::print_line("reads   {} with the cache, at most {} without", human_bytes(source_bytes),
                    human_bytes(cost.read_bytes));
    return ExitCode::kOk;
}

}  // namespace

ExitCode run_plan(const cli::Args& args) {
    const Options options = parse(args, true);
    const auto reshard = reshard_options(options);
    const auto source = ckpt::Checkpoint::open(ckpt::locate_checkpoint(options.source));
    return show_plan(source, reshard, options.json);
}

ExitCode run_run(const cli::Args& args) {
    const Options options = parse(args, false);
    auto reshard = reshard_options(options);
    const auto source = ckpt::Checkpoint::open(ckpt::locate_checkpoint(options.source));
    if (options.dry_run) return show_plan(source, reshard, options.json);
    cli::Progress progress("reshard", ckpt::total_bytes(source.manifest()),
                           options.common.progress);
    reshard.on_progress = [&](uint64_t bytes) { progress.add(bytes); };
    const auto result = ckpt::reshard(source, options.destination, reshard);
    progress.finish();
    if (options.json) {
        cli::print(io::to_line({{"schema", 1},
                                {"directory", options.destination},
                                {"self", result.self.hex()},
                                {"was_complete", result.was_complete},
                                {"bytes_written", result.bytes_written},
                                {"bytes_resumed", result.bytes_resumed},
                                {"bytes_read", result.bytes_read},
                                {"seconds", result.seconds}}) +
                   "\n");
    } else if (result.was_complete) {
        log::info("{} is there already, complete and the same", options.destination);
    } else {
        log::info("wrote {} ({} of it by an earlier run) to {} in {}",
                  human_bytes(result.bytes_written + result.bytes_resumed),
                  human_bytes(result.bytes_resumed), options.destination,
                  human_duration(result.seconds));
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::ckpt_reshard
