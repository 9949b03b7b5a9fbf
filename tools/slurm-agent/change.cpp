// SPDX-License-Identifier: GPL-2.0-or-later
// Sub-commands that change a job: hold, exclude, signal.
#include <charconv>

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/io/json.h"
#include "lib/slurmapi/jobs.h"
#include "tools/slurm-agent/commands.h"

namespace longhaul::slurm_agent {

ExitCode run_hold(const cli::Args& args) {
    std::string id, comment;
    cli::Command command("slurm-agent hold", "hold a job; a running one is requeued first");
    command.option("--comment", comment, "TEXT", "the job's new comment: why it is held");
    command.positional("JOB", id, "job id").required();
    command.parse(args);
    return answer([&] {
        slurmapi::hold_job(id, comment);
        return done(id);
    });
}

ExitCode run_exclude(const cli::Args& args) {
    std::string id, hosts;
    cli::Command command("slurm-agent exclude", "add hosts to those a pending job avoids");
    command.positional("JOB", id, "job id").required();
    command.positional("HOSTS", hosts, "such as n[1-3,7]").required();
    command.parse(args);
    return answer([&] {
        io::Json json = done(id);
        json["excluded_nodes"] = slurmapi::exclude_hosts(id, hosts);
        return json;
    });
}

ExitCode run_signal(const cli::Args& args) {
    std::string id, text;
    cli::Command command("slurm-agent signal", "signal all steps of a job, not its batch script");
    command.positional("JOB", id, "job id").required();
    command.positional("NUMBER", text, "signal number, such as 9").required();
    command.parse(args);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 64) {
        throw UsageError(format("\"{}\" is not a signal number (1 to 64)", text));
    }
    return answer([&] {
        slurmapi::signal_steps(id, number);
        return done(id);
    });
}

}  // namespace longhaul::slurm_agent
