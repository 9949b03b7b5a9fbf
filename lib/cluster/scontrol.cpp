// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/scontrol.h"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"
#include "lib/cluster/shield.h"

namespace longhaul::cluster::scontrol {
namespace {

constexpr double kDeadline_s = 10;

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Runs a Slurm command; @return its stdout. Times come as Unix seconds.
std::string run(const std::vector<std::string>& argv) {
    const io::ChildResult result = run_shielded(argv, kDeadline_s);
    if (result.exit_code == 127) throw ClusterError(format("{} is not installed", argv[0]));
    if (result.timed_out) {
        throw ClusterError(format("{} {} gave no answer in {} s", argv[0], argv[1], kDeadline_s));
    }
    if (!result.ok()) {
        const std::string& said = result.error_output.empty() ? result.output : result.error_output;
        throw ClusterError(format("{} {} failed: {}", argv[0], argv[1], first_line(said)));
    }
    return result.output;
}

/// The records of `scontrol --oneliner show WHAT`, one a line.
std::vector<std::map<std::string, std::string>> show(const std::vector<std::string>& what) {
    std::vector<std::string> argv{"scontrol", "--oneliner", "show"};
    argv.insert(argv.end(), what.begin(), what.end());
    const std::string text = run(argv);
    std::vector<std::map<std::string, std::string>> records;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        auto record = parse_record(std::string_view(text).substr(begin, end - begin));
        if (!record.empty()) records.push_back(std::move(record));
        begin = end + 1;
    }
    return records;
}

void update(const std::string& job_id, const std::string& change) {
    run({"scontrol", "update", "JobId=" + job_id, change});
}

}  // namespace

bool is_installed() {
    static const bool found = io::run_command({"scontrol", "--version"}).ok();
    return found;
}

JobInfo job(const std::string& job_id) {
    const auto records = show({"job", job_id});
    if (records.empty()) throw ClusterError(format("Slurm knows no job {}", job_id));
    JobInfo info = job_from_record(records.front(), time(nullptr));
    info.job_id = job_id;
    return info;
}

void requeue(const std::string& job_id) {
    run({"scontrol", "requeue", job_id});
}

void hold(const std::string& job_id, const std::string& comment) {
    const bool is_pending = job(job_id).state == "PENDING";
    run({"scontrol", is_pending ? "uhold" : "requeuehold", job_id});
    if (!comment.empty()) update(job_id, "Comment=" + comment);
}

std::string exclude(const std::string& job_id, const std::string& hosts) {
    const std::string all = union_of_hostlists(job(job_id).excluded_nodes, hosts);
    update(job_id, "ExcNodeList=" + all);
    return all;
}

void start_now(const std::string& job_id) {
    update(job_id, "StartTime=now");
}

void signal_steps(const std::string& job_id, int signal) {
    // strsignal() gives prose; scancel takes numbers as well as names.
    run({"scancel", "--signal=" + std::to_string(signal), job_id});
}

std::vector<NodeInfo> nodes(const std::string& hosts) {
    std::vector<NodeInfo> list;
    std::vector<std::string> what{"node"};
    if (!hosts.empty()) what.push_back(hosts);
    for (const auto& record : show(what)) list.push_back(node_from_record(record));
    return list;
}

SiteConf conf() {
    SiteConf site;
    site.keys = parse_config_lines(run({"scontrol", "show", "config"}));
    for (const auto& record : show({"partition"})) {
        site.partitions.push_back(partition_from_record(record));
    }
    return site;
}

}  // namespace longhaul::cluster::scontrol
