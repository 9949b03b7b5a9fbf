// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/sweep.h"

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

namespace {

struct Options {
    std::vector<std::string> collectives;
    cli::Bytes begin{8}, end{64 << 20}, step{0};
    double factor = 2;
    int warmup = 5, iterations = 20;
    double min_busbw = 0;
    bool check = true, json = false, strict = false;
    cli::CommonOptions common;
};

Options parse(const cli::Args& args) {
    Options options;
    cli::Command command("nccl-probe sweep", "bandwidth of collectives over a range of sizes");
    command.option("-b,--begin", options.begin, "SIZE", "smallest size");
    command.option("-e,--end", options.end, "SIZE", "largest size");
    command.option("-f,--factor", options.factor, "X", "each size is X times the one before")
        .range(1, 1e6);
    command.option("-i,--step", options.step, "SIZE", "add SIZE instead of multiplying");
    command.option("-n,--iterations", options.iterations, "N", "timed repetitions").range(1, 1e6);
    command.option("-w,--warmup", options.warmup, "N", "repetitions before").range(0, 1e6);
    command
        .option("--min-busbw", options.min_busbw, "GB/S", "exit 1 when the best busbw stays below")
        .range(0, 1e6);
    command.flag("--check,!--no-check", options.check, "verify the data of every size (default)");
    command.flag("--json", options.json, "one JSON object instead of a table");
    command.flag("--strict", options.strict, "warnings count as failures");
    command.positional("COLLECTIVE", options.collectives,
                       "all-reduce (default), all-gather, broadcast, ... or all: see the man page");
    cli::add_common_options(command, options.common, cli::kQuietVerbose);
    command.parse(args);
    return options;
}

probe::SweepOptions settings(const Options& options) {
    probe::SweepOptions sweep;
    sweep.sizes_bytes = probe::sweep_sizes(options.begin.value, options.end.value, options.factor,
                                           options.step.value);
    sweep.warmup = options.warmup;
    sweep.iterations = options.iterations;
    sweep.check = options.check;
    sweep.min_busbw_gb_per_s = options.min_busbw;
    if (options.collectives.empty()) return sweep;
    sweep.collectives.clear();
    for (const std::string& name : options.collectives) {
        if (name == "all") {
            sweep.collectives = probe::all_collectives();
            break;
        }
        const auto collective = probe::collective_from_name(name);
        if (!collective) throw UsageError("unknown collective " + name);
        sweep.collectives.push_back(*collective);
    }
    return sweep;
}

}  // namespace

ExitCode run_sweep(const cli::Args& args) {
    const Options options = parse(args);
    const probe::SweepOptions sweep_options = settings(options);
    const auto fabric = probe::open_fabric();
    log::set_rank(fabric->rank(), fabric->size());
    if (fabric->size() == 1) {
        log::info(
            "one rank: rates are those of a copy in memory; start several with mpirun or srun");
    }
    bool is_first = true;
    probe::Sweep head{fabric->name(), probe::gather_ranks(*fabric), {}};
    const probe::Sweep sweep =
        probe::run_sweep(*fabric, sweep_options, [&](const probe::SweepRow& row) {
            if (options.json) return;
            if (is_first) cli::print(probe::table_header(head));
            is_first = false;
            cli::print(probe::to_text(row));
            cli::flush_output();
        });
    if (fabric->rank() != 0) return ExitCode::kOk;
    const auto findings = probe::judge(sweep, sweep_options);
    if (options.json) {
        cli::print_line("{}", io::to_line(probe::to_json(sweep, sweep_options)));
    } else {
        cli::print(record::to_text(findings));
    }
    return record::exit_code(findings, options.strict);
}

}  // namespace longhaul::nccl_probe
