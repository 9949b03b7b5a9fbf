// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/agent.h"

#include <unistd.h>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/cluster/scontrol.h"
#include "lib/cluster/shield.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::cluster {
namespace {

namespace fs = std::filesystem;

constexpr double kDeadline_s = 12;  // the agent gives up by itself after 10 s

/// The agent's place beside a program in bin/ or in the build folder.
std::vector<fs::path> candidates() {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    return {program.parent_path() / "slurm-agent",
            program.parent_path().parent_path() / "libexec/longhaul/slurm-agent",
            fs::path(LH_LIBEXEC_DIR) / "slurm-agent"};
}

fs::path find_agent() {
    const char* chosen = std::getenv("LONGHAUL_SLURM_AGENT");
    if (chosen && std::string_view(chosen) == "none") return {};
    if (chosen && *chosen) return chosen;
    for (const fs::path& path : candidates()) {
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

std::optional<int64_t> optional_number(const io::Json& json, const char* key) {
    if (!json.contains(key) || json[key].is_null()) return std::nullopt;
    return io::require<int64_t>(json, key, "slurm-agent");
}

/// Error object {"schema":1,"error":"..."} as an exception.
[[noreturn]] void throw_refusal(const io::Json& json, int exit_code) {
    const std::string text = io::require<std::string>(json, "error", "slurm-agent");
    throw ClusterError(
        text, exit_code == to_int(ExitCode::kNegative) ? ExitCode::kNegative : ExitCode::kFailed);
}

}  // namespace

JobInfo job_from_json(const io::Json& json) {
    const auto text = [&](const char* key) {
        return io::require<std::string>(json, key, "slurm-agent");
    };
    JobInfo job;
    job.job_id = text("job_id");
    job.state = text("state");
    job.flags = io::require<std::vector<std::string>>(json, "flags", "slurm-agent");
    job.reason = text("reason");
    job.partition = text("partition");
    job.nodes = text("nodes");
    job.batch_host = text("batch_host");
    job.excluded_nodes = text("excluded_nodes");
    job.restart_count = io::require<uint64_t>(json, "restart_count", "slurm-agent");
    job.requeue = io::require<bool>(json, "requeue", "slurm-agent");
    job.end_unix_s = io::require<int64_t>(json, "end_unix_s", "slurm-agent");
    job.preempt_unix_s = io::require<int64_t>(json, "preempt_unix_s", "slurm-agent");
    job.time_limit_s = optional_number(json, "time_limit_s");
    job.time_left_s = optional_number(json, "time_left_s");
    job.comment = text("comment");
    job.work_dir = text("work_dir");
    return job;
}

AgentClient::AgentClient() : agent_(find_agent()), has_scontrol_(scontrol::is_installed()) {}

std::string AgentClient::how() const {
    if (!agent_.empty()) return "slurm-agent";
    return has_scontrol_ ? "scontrol" : "";
}

/// @return nothing when the agent is missing or could not work and scontrol should be tried.
std::optional<io::Json> AgentClient::ask(const std::vector<std::string>& arguments) const {
    if (!is_available()) {
        throw ClusterError("Slurm can not be asked: neither slurm-agent nor scontrol is installed");
    }
    if (agent_.empty()) return std::nullopt;
    std::vector<std::string> argv{agent_.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const io::ChildResult result = run_shielded(argv, kDeadline_s);
    const bool has_answer = !result.timed_out && !result.output.empty();
    if (has_answer) {
        const io::Json json = io::parse_json(result.output, "slurm-agent");
        if (result.ok()) return json;
        if (json.contains("error") &&
            (!has_scontrol_ || result.exit_code == to_int(ExitCode::kNegative))) {
            throw_refusal(json, result.exit_code);
        }
    }
    if (!has_scontrol_) {
        const std::string& said = result.error_output;
        throw ClusterError(
            format("{} did not work: {}", agent_.filename().string(),
                   result.timed_out ? "no answer" : said.substr(0, said.find('\n'))));
    }
    log::debug("{} did not work, asking scontrol", agent_.string());
    return std::nullopt;
}

JobInfo AgentClient::job(const std::string& job_id) const {
    const auto json = ask({"job", job_id});
    return json ? job_from_json(*json) : scontrol::job(job_id);
}

void AgentClient::requeue(const std::string& job_id) const {
    if (!ask({"requeue", job_id})) scontrol::requeue(job_id);
}

void AgentClient::hold(const std::string& job_id, const std::string& comment) const {
    if (!ask({"hold", "--comment", comment, job_id})) scontrol::hold(job_id, comment);
}

std::string AgentClient::exclude(const std::string& job_id, const std::string& hosts) const {
    const auto json = ask({"exclude", job_id, hosts});
    return json ? io::require<std::string>(*json, "excluded_nodes", "slurm-agent")
                : scontrol::exclude(job_id, hosts);
}

void AgentClient::start_now(const std::string& job_id) const {
    if (!ask({"start-now", job_id})) scontrol::start_now(job_id);
}

void AgentClient::signal_steps(const std::string& job_id, int signal) const {
    if (!ask({"signal", job_id, std::to_string(signal)})) scontrol::signal_steps(job_id, signal);
}

std::vector<NodeInfo> AgentClient::nodes(const std::string& hosts) const {
    const auto json = ask(hosts.empty() ? std::vector<std::string>{"nodes"}
                                        : std::vector<std::string>{"nodes", hosts});
    if (!json) return scontrol::nodes(hosts);
    std::vector<NodeInfo> list;
    for (const io::Json& item : json->at("nodes")) {
        list.push_back({io::require<std::string>(item, "name", "slurm-agent"),
                        io::require<std::string>(item, "state", "slurm-agent"),
                        io::require<std::vector<std::string>>(item, "flags", "slurm-agent"),
                        io::require<std::string>(item, "reason", "slurm-agent")});
    }
    return list;
}

SiteConf AgentClient::conf() const {
    const auto json = ask({"conf"});
    if (!json) return scontrol::conf();
    SiteConf site;
    site.keys = io::require<std::map<std::string, std::string>>(*json, "conf", "slurm-agent");
    for (const io::Json& item : json->at("partitions")) {
        site.partitions.push_back({io::require<std::string>(item, "name", "slurm-agent"),
                                   io::require<std::string>(item, "preempt_mode", "slurm-agent"),
                                   io::require<int64_t>(item, "grace_time_s", "slurm-agent"),
                                   optional_number(item, "max_time_s")});
    }
    return site;
}

}  // namespace longhaul::cluster
