// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>

#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/slurmapi/session.h"
#include "tools/slurm-agent/commands.h"

namespace longhaul::slurm_agent {

ExitCode answer(const std::function<io::Json()>& question) {
    try {
        slurmapi::arm_deadline(kDeadline_s);
        const slurmapi::Session session;
        cli::print(io::to_line(question()) + "\n");
        return ExitCode::kOk;
    } catch (const slurmapi::SlurmError& error) {
        io::Json json;
        json["schema"] = 1;
        json["error"] = error.describe();
        json["slurm_errno"] = error.slurm_errno();
        cli::print(io::to_line(json) + "\n");
        return error.exit_code();
    }
}

io::Json done(const std::string& job_id) {
    io::Json json;
    json["schema"] = 1;
    json["job_id"] = job_id;
    json["done"] = true;
    return json;
}

std::string or_own_job(const std::string& id) {
    if (!id.empty()) return id;
    const char* own = std::getenv("SLURM_JOB_ID");
    if (!own || !*own) throw UsageError("a job id is missing, and SLURM_JOB_ID is not set");
    return own;
}

cli::Subcommand job_command(const std::string& name, const std::string& one_line,
                            const std::function<io::Json(const std::string& id)>& question) {
    return {name, one_line, [=](const cli::Args& args) {
                std::string id;
                cli::Command command("slurm-agent " + name, one_line);
                command.positional("JOB", id, "job id; default is SLURM_JOB_ID");
                command.parse(args);
                return answer([&] { return question(or_own_job(id)); });
            }};
}

}  // namespace longhaul::slurm_agent
