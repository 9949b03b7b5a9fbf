// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/pairs.h"

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "lib/log/log.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

namespace {

struct Options {
    probe::PairOptions pairs;
    cli::Bytes size{16 << 20};
    cli::Duration deadline{30};
    std::string input;
    bool json = false, strict = false;
    cli::CommonOptions common;
};

Options parse(const cli::Args& args) {
    Options options;
    probe::PairOptions& pairs = options.pairs;
    cli::Command command("nccl-probe pairs",
                         "bandwidth and latency of every pair; names bad nodes and links");
    command.option("--unit", pairs.unit, "WHAT", "pair hosts (first rank of each), or all ranks")
        .choices({"auto", "host", "rank"});
    command.option("-s,--size", options.size, "SIZE", "message for the bandwidth");
    command.option("-n,--iterations", pairs.iterations, "N", "timed messages each way")
        .range(1, 1e6);
    command.option("--deadline", options.deadline, "TIME", "for one round; a silent rank is named");
    command.option("--retest", pairs.max_retests, "N", "suspects measured again alone")
        .range(0, 1e4);
    command
        .option("--tolerance", pairs.limits.tolerance, "SHARE",
                "share of the bandwidth that may be missing")
        .range(0.01, 0.99);
    command
        .option("--latency-tolerance", pairs.limits.latency_tolerance, "SHARE",
                "share by which the latency may be higher")
        .range(0.01, 1000);
    command
        .option("--min-bandwidth", pairs.limits.min_gb_per_s, "GB/S",
                "floor for every pair: finds a cluster that is slow everywhere")
        .range(0, 1e6);
    command.option("--input", options.input, "FILE",
                   "judge a result of --json again instead of measuring (- is stdin)");
    command.flag("--json", options.json, "one JSON object instead of text");
    command.flag("--strict", options.strict, "warnings count as failures");
    cli::add_common_options(command, options.common, cli::kQuietVerbose);
    command.parse(args);
    if (options.size.value == 0 || options.size.value > (1u << 30)) {
        throw UsageError("--size must be between 1 byte and 1 GiB");
    }
    pairs.message_bytes = options.size.value;
    pairs.deadline_s = options.deadline.seconds;
    return options;
}

probe::PairMatrix read_matrix(const std::string& path) {
    const std::string text = io::read_all(path, 256 << 20);
    const std::string source = path == "-" ? "standard input" : path;
    return probe::pair_matrix_from_json(io::parse_json(text, source), source);
}

ExitCode report(const probe::PairMatrix& matrix, const Options& options) {
    const auto findings = probe::isolate(matrix, options.pairs.limits);
    if (options.json) {
        io::Json json{{"schema", 1}, {"tool", "nccl-probe pairs"}};
        json.update(probe::to_json(matrix));
        json["findings"] = record::to_json(findings);
        cli::print_line("{}", io::to_line(json));
    } else {
        cli::print(probe::to_text(matrix) + record::to_text(findings));
    }
    return record::exit_code(findings, options.strict);
}

}  // namespace

ExitCode run_pairs(const cli::Args& args) {
    const Options options = parse(args);
    if (!options.input.empty()) return report(read_matrix(options.input), options);
    const auto fabric = probe::open_fabric();
    log::set_rank(fabric->rank(), fabric->size());
    if (fabric->size() == 1) {
        log::warn("one rank makes no pair: start one rank a host with srun or mpirun");
    }
    const probe::PairMatrix matrix = probe::measure_pairs(*fabric, options.pairs);
    if (fabric->rank() != 0) return ExitCode::kOk;
    const ExitCode code = report(matrix, options);
    if (!matrix.silent.empty()) {
        cli::flush_output();
        log::warn("ending all ranks: {} of them no longer answer", matrix.silent.size());
        fabric->abort(code);
    }
    return code;
}

}  // namespace longhaul::nccl_probe
