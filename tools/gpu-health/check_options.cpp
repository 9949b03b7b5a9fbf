// SPDX-License-Identifier: BSD-3-Clause
#include "tools/gpu-health/check_options.h"

#include "lib/base/error.h"

namespace longhaul::gpu_health {

void CheckOptions::declare(cli::Command& command) {
    command.option("--context", context, "WHEN", "who calls: sets deadline, scope and state")
        .choices({"prolog", "epilog", "healthcheck", "job"});
    command.option("--expect-gpus", expect_gpus, "N", "GPUs that must be there; -1: not said")
        .range(-1, 1024);
    command.option("--gres", gres, "SPEC", "the same in Slurm's words: gpu:h100:8");
    command.option("--config", config, "FILE", "gpu-health.toml of the site");
    command.option("--input", input, "FILE", "judge a recording instead of this node; - is stdin");
    source.add_to(command);
    command.option("--state", state, "FILE", "what the last run saw, instead of the usual file");
    command.flag("--active", active, "also test memory, processors and disk (seconds)");
    command.option("--active-memory", active_memory, "SIZE", "memory to test; 0: a quarter of it");
    command.flag("--watch", watch, "run again and again; print what changes");
    command.option("--every", every, "TIME", "between the runs of --watch");
    command.option("--exit-policy", exit_policy, "WHICH", "slurm: only a failure is not 0")
        .choices({"default", "slurm"});
    command.flag("--reason", reason, "print only the reason to drain, one line or nothing");
    command.option("--prometheus", prometheus, "FILE",
                   "also write metrics for a textfile collector");
    command.flag("--json", json, "one JSON object (a line for each change with --watch)");
    command.flag("--strict", strict, "warnings count as failures");
    command.flag("--print-config", print_config, "print the complete configuration and exit");
    command.flag("--list-checks", list_checks, "print the checks and exit");
    command.list_subcommands({{"explain", "what an XID or a code of a finding means"},
                              {"record", "write what can be read of this node to a file"},
                              {"ingest", "judge this node by what nccl-probe found"}});
    cli::add_common_options(command, common, cli::kQuietVerbose);
}

void CheckOptions::parse(const cli::Args& args) {
    cli::Command command("gpu-health", "node checks for prolog, epilog, health check and jobs");
    declare(command);
    command.parse(args);
    if (!(every.seconds >= 1)) throw UsageError("--every: at least 1s");
    if (command.was_given("--active-memory") && !active) {
        throw UsageError("--active-memory tests nothing without --active");
    }
}

void CheckOptions::apply_to(health::RunOptions& run) const {
    run.context = health::context_from_name(context);
    run.input = input;
    run.collect = source.collect_options(health::default_deadline_s(run.context));
    run.collect.disks = run.policy.disks;
    // A recording is judged against the state of this node only when that is asked for.
    run.state = !state.empty() ? state : input.empty() ? health::default_state_path() : "";
    run.is_active = active;
    run.active.memory_bytes = active_memory.value;
    if (source.deadline.seconds > 0) run.active.deadline_s = source.deadline.seconds;
    health::Policy& policy = run.policy;
    if (!gres.empty()) {
        policy.gpus = gres == "(null)" ? 0 : health::gpus_in_gres(gres);
        if (policy.gpus < 0) {
            throw UsageError(format("--gres {}: names no GPU; such as gpu:8 or gpu:h100:8", gres));
        }
        policy.gpus_source = "--gres";
    }
    if (expect_gpus >= 0) {
        policy.gpus = expect_gpus;
        policy.gpus_source = "--expect-gpus";
    }
    if (input.empty()) health::expect_from_environment(policy, run.context);
}

}  // namespace longhaul::gpu_health
