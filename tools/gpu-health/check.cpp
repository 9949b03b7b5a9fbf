// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <csignal>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/gpu-health/check_options.h"
#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

namespace {

std::atomic<bool> stop_asked{false};  // set by SIGTERM and SIGINT

void print(const health::Report& report, const CheckOptions& options) {
    if (options.reason) {
        const std::string line = record::drain_reason(report.findings, "gpu-health");
        if (!line.empty()) cli::print_line("{}", line);
    } else if (options.json) {
        cli::print_line("{}", io::to_line(health::to_json(report)));
    } else {
        cli::print(health::to_text(report, options.common.verbose));
    }
    cli::flush_output();
}

ExitCode finish(const health::Report& report, const CheckOptions& options) {
    if (!options.prometheus.empty()) {
        io::write_file_atomically(options.prometheus, health::to_prometheus(report));
    }
    return options.exit_policy == "slurm" ? record::exit_code_slurm(report.findings)
                                          : record::exit_code(report.findings, options.strict);
}

ExitCode run_watch(const health::RunOptions& run, const CheckOptions& options) {
    std::signal(SIGTERM, [](int) { stop_asked = true; });
    std::signal(SIGINT, [](int) { stop_asked = true; });
    ExitCode code = ExitCode::kOk;
    health::watch(
        run, options.every.seconds, stop_asked,
        [&](const health::Report& report) { print(report, options); },
        [&](const health::Report& report) { code = finish(report, options); });
    return code;
}

std::string list_of_checks() {
    std::string text;
    for (const auto& check : health::all_checks()) {
        text += format("{:<16} {}\n", check->key(), check->description());
    }
    return text;
}

}  // namespace

ExitCode run_check(const cli::Args& args) {
    CheckOptions options;
    options.parse(args);
    if (options.list_checks) {
        cli::print(list_of_checks());
        return ExitCode::kOk;
    }
    config::Schema schema;
    health::RunOptions run;
    health::declare(schema, run.policy);
    try {
        if (!options.config.empty()) schema.load(options.config);
    } catch (const IoError& error) {
        throw UsageError(format("--config: {}", error.what()));
    }
    if (options.print_config) {
        cli::print(schema.print());
        return ExitCode::kOk;
    }
    options.apply_to(run);
    if (options.watch) return run_watch(run, options);
    const health::Report report = health::run_once(run);
    print(report, options);
    return finish(report, options);
}

}  // namespace longhaul::gpu_health
