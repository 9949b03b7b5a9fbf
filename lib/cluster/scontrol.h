// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slurm asked through its commands, for sites and containers without slurm-agent: scontrol and
// scancel, with the parsers of what they print.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cluster/job_info.h"

namespace longhaul::cluster {

/// "KillWait                = 30 sec" lines; others are passed over.
std::map<std::string, std::string> parse_config_lines(std::string_view text);

/// One line of `scontrol --oneliner show`: "JobId=12 JobName=my job UserId=...". A value reaches to
/// the next blank before "Name=", so blanks inside values survive.
std::map<std::string, std::string> parse_record(std::string_view line);

/// @param record of `scontrol show job`, with times as Unix seconds (SLURM_TIME_FORMAT=%s).
/// @param now_unix_s the time that time_left_s counts from.
JobInfo job_from_record(const std::map<std::string, std::string>& record, int64_t now_unix_s);
NodeInfo node_from_record(const std::map<std::string, std::string>& record);
PartitionInfo partition_from_record(const std::map<std::string, std::string>& record);

/// "[D-]HH:MM:SS" in seconds; nothing for UNLIMITED, INVALID and the like.
std::optional<int64_t> parse_slurm_duration_s(std::string_view text);

/// The calls of AgentClient, by commands. @throws ClusterError with what the command said
namespace scontrol {

bool is_installed();
JobInfo job(const std::string& job_id);
void requeue(const std::string& job_id);
void hold(const std::string& job_id, const std::string& comment);
std::string exclude(const std::string& job_id, const std::string& hosts);
void start_now(const std::string& job_id);
void signal_steps(const std::string& job_id, int signal);
std::vector<NodeInfo> nodes(const std::string& hosts);
SiteConf conf();

}  // namespace scontrol
}  // namespace longhaul::cluster
