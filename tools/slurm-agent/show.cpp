// SPDX-License-Identifier: GPL-2.0-or-later
// Sub-commands that read: nodes, conf, watch.
#include <chrono>
#include <thread>

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/slurmapi/jobs.h"
#include "lib/slurmapi/session.h"
#include "lib/slurmapi/site.h"
#include "tools/slurm-agent/commands.h"

namespace longhaul::slurm_agent {
namespace {

constexpr unsigned kRoundDeadline_s = 30;  // libslurm itself gives up on a controller after 9 s

bool is_over(const io::Json& job) {
    const std::string state = job.at("state");
    return state != "PENDING" && state != "RUNNING" && state != "SUSPENDED" &&
           job.at("flags").empty();
}

/// One line about the job, or about why it can not be told. @return false when it is over.
bool watch_once(const std::string& id) {
    io::Json json;
    bool goes_on = true;
    try {
        json = slurmapi::load_job_json(id);
        goes_on = !is_over(json);
    } catch (const slurmapi::SlurmError& error) {
        json["schema"] = 1;
        json["error"] = error.describe();
        json["slurm_errno"] = error.slurm_errno();
        goes_on = error.exit_code() != ExitCode::kNegative;
    }
    cli::print(io::to_line(json) + "\n");
    cli::flush_output();
    return goes_on;
}

}  // namespace

ExitCode run_nodes(const cli::Args& args) {
    std::string hosts;
    cli::Command command("slurm-agent nodes", "states of nodes");
    command.positional("HOSTS", hosts, "such as n[1-3,7]; default is all");
    command.parse(args);
    return answer([&] { return slurmapi::load_nodes_json(hosts); });
}

ExitCode run_conf(const cli::Args& args) {
    cli::Command command("slurm-agent conf", "the site's Slurm configuration");
    command.parse(args);
    return answer([] { return slurmapi::load_conf_json(); });
}

ExitCode run_watch(const cli::Args& args) {
    std::string id;
    cli::Duration every{10};
    cli::Command command("slurm-agent watch", "a JSON line about a job now and then, to its end");
    command.option("--every", every, "DURATION", "time between two lines");
    command.positional("JOB", id, "job id; default is SLURM_JOB_ID");
    command.parse(args);
    id = or_own_job(id);
    if (every.seconds < 0.1) throw UsageError("--every: at least 0.1 s, to spare the controller");
    slurmapi::arm_deadline(kRoundDeadline_s);
    const slurmapi::Session session;
    while (watch_once(id)) {
        slurmapi::arm_deadline(0);
        std::this_thread::sleep_for(std::chrono::duration<double>(every.seconds));
        slurmapi::arm_deadline(kRoundDeadline_s);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::slurm_agent
