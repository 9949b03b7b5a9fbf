// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/convert.h"

#include "lib/base/error.h"
#include "lib/cluster/environment.h"
#include "lib/shards/spool.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

ExitCode run_convert(const cli::Args& args) {
    tokenize::ConvertJob job;
    ContainerWords container;
    cli::CommonOptions common;
    std::string task;
    bool per_shard = false;
    cli::Command command("tok-shard convert", "shards in another format");
    command.option("-o,--output", job.output, "DIR", "folder of the new shards").required();
    add_data_options(command, job.source);
    add_container_options(command, container, true);
    command
        .flag("--per-shard", per_shard, "megatron: a .bin and .idx for each shard, not one of all")
        .group("Format of the shards");
    command.option("--task", task, "I/N",
                   "do shards I, I+N, ... only; default: the place among ranks and array tasks");
    command.flag("--force", job.force, "remove what is in DIR and begin anew");
    command.option("--tmp-dir", common.tmp_dir, "DIR", "folder of the spools [$TMPDIR or /tmp]");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress | cli::kThreads);
    command.parse(args);
    job.container = finish_container_options(command, container);
    job.has_max_tokens = command.was_given("--shard-tokens");
    const bool is_megatron = job.container.format == shards::ShardFormat::kMegatron;
    if (per_shard && !is_megatron) throw UsageError("--per-shard goes with --format megatron");
    job.is_merged = is_megatron && !per_shard;
    job.threads = cli::resolve_threads(common.threads);
    job.tmp_dir = common.tmp_dir.empty() ? shards::default_spool_folder().string() : common.tmp_dir;
    const cluster::TaskShare share = cluster::resolve_ranked_share(task);
    job.task = {share.index, share.count};
    job.progress = common.progress;
    return tokenize::run_convert(job);
}

}  // namespace longhaul::tok_shard
