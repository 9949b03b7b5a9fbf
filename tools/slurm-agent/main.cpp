// SPDX-License-Identifier: GPL-2.0-or-later
// slurm-agent: one question to Slurm a process, one JSON object as the answer. The only program
// of Longhaul that links libslurm.
#include "lib/io/json.h"
#include "lib/slurmapi/jobs.h"
#include "tools/slurm-agent/commands.h"

namespace {

using namespace longhaul;
using namespace longhaul::slurm_agent;

std::vector<cli::Subcommand> subcommands() {
    return {job_command("job", "state, nodes, restarts and time left of a job",
                        slurmapi::load_job_json),
            job_command("requeue", "put a job back into the queue; inside of it: the last act",
                        [](const std::string& id) {
                            slurmapi::requeue_job(id, false);
                            return done(id);
                        }),
            {"hold", "hold a job; a running one is requeued first", run_hold},
            {"exclude", "add hosts to those a pending job avoids", run_exclude},
            job_command("start-now", "lift the delay after a requeue",
                        [](const std::string& id) {
                            slurmapi::start_job_now(id);
                            return done(id);
                        }),
            {"signal", "signal all steps of a job, not its batch script", run_signal},
            {"nodes", "states of nodes", run_nodes},
            {"conf", "the site's Slurm configuration", run_conf},
            {"watch", "a JSON line about a job now and then, to its end", run_watch}};
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main("slurm-agent", argc, argv, [](const cli::Args& args) {
        return cli::dispatch("slurm-agent", "ask and steer Slurm, one JSON object a call", args,
                             subcommands(), nullptr);
    });
}
