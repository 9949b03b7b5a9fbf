// SPDX-License-Identifier: BSD-3-Clause
// The parsers of scontrol.h: pure functions of text.
#include <cctype>
#include <charconv>

#include "lib/cluster/hostlist.h"
#include "lib/cluster/scontrol.h"

namespace longhaul::cluster {
namespace {

using Record = std::map<std::string, std::string>;

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Length of "Name" when `text` begins with "Name=", else 0.
size_t name_length(std::string_view text) {
    size_t length = 0;
    const auto is_name = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '/';
    };
    while (length < text.size() && is_name(text[length])) ++length;
    const bool is_key = length > 0 && length < text.size() && text[length] == '=' &&
                        std::isupper(static_cast<unsigned char>(text[0]));
    return is_key ? length : 0;
}

/// The value of `key`; "" when absent or one of Slurm's words for nothing.
std::string value_of(const Record& record, const std::string& key) {
    const auto found = record.find(key);
    if (found == record.end()) return "";
    const std::string& value = found->second;
    return value == "(null)" || value == "None" || value == "N/A" || value == "Unknown" ? ""
                                                                                        : value;
}

std::optional<int64_t> leading_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace

std::optional<int64_t> SiteConf::number(const std::string& key) const {
    return leading_number(text(key));
}

std::map<std::string, std::string> parse_config_lines(std::string_view text) {
    Record keys;
    for (const std::string& line : split(text, '\n')) {
        const size_t equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::string_view key = trimmed(std::string_view(line).substr(0, equals));
        if (key.empty() || key.find(' ') != std::string_view::npos) continue;
        keys[std::string(key)] = trimmed(std::string_view(line).substr(equals + 1));
    }
    return keys;
}

std::map<std::string, std::string> parse_record(std::string_view line) {
    Record record;
    std::string* value = nullptr;
    for (size_t at = 0; at < line.size();) {
        const bool is_start = at == 0 || line[at - 1] == ' ';
        const size_t length = is_start ? name_length(line.substr(at)) : 0;
        if (length > 0) {
            value = &record[std::string(line.substr(at, length))];
            value->clear();
            at += length + 1;
        } else {
            if (value) *value += line[at];
            ++at;
        }
    }
    for (auto& [key, text] : record) text = trimmed(text);
    return record;
}

std::optional<int64_t> parse_slurm_duration_s(std::string_view text) {
    int64_t days = 0, seconds = 0;
    const size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
        const auto number = leading_number(text.substr(0, dash));
        if (!number) return std::nullopt;
        days = *number;
        text.remove_prefix(dash + 1);
    }
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
    for (const std::string& part : parts) {
        const auto number = leading_number(part);
        if (!number || *number < 0) return std::nullopt;
        seconds = seconds * 60 + *number;
    }
    return days * 86400 + seconds;
}

JobInfo job_from_record(const std::map<std::string, std::string>& record, int64_t now_unix_s) {
    JobInfo job;
    job.job_id = value_of(record, "JobId");
    job.state = value_of(record, "JobState");
    if (job.state == "COMPLETING") job.flags.push_back("COMPLETING");
    job.reason = value_of(record, "Reason");
    job.partition = value_of(record, "Partition");
    job.nodes = value_of(record, "NodeList");
    job.batch_host = value_of(record, "BatchHost");
    job.excluded_nodes = value_of(record, "ExcNodeList");
    job.restart_count =
        static_cast<uint64_t>(leading_number(value_of(record, "Restarts")).value_or(0));
    job.requeue = value_of(record, "Requeue") == "1";
    job.end_unix_s = leading_number(value_of(record, "EndTime")).value_or(0);
    job.preempt_unix_s = leading_number(value_of(record, "PreemptTime")).value_or(0);
    job.time_limit_s = parse_slurm_duration_s(value_of(record, "TimeLimit"));
    if (job.is_running() && job.time_limit_s) {
        job.time_left_s = std::max<int64_t>(job.end_unix_s - now_unix_s, 0);
    }
    job.comment = value_of(record, "Comment");
    job.work_dir = value_of(record, "WorkDir");
    return job;
}

NodeInfo node_from_record(const std::map<std::string, std::string>& record) {
    NodeInfo node;
    node.name = value_of(record, "NodeName");
    node.reason = value_of(record, "Reason");
    for (std::string word : split(value_of(record, "State"), '+')) {
        if (!word.empty() && word.back() == '*') {
            word.pop_back();
            node.flags.push_back("NOT_RESPONDING");
        }
        if (node.state.empty()) {
            node.state = word;
        } else {
            node.flags.push_back(word);
        }
    }
    return node;
}

PartitionInfo partition_from_record(const std::map<std::string, std::string>& record) {
    PartitionInfo partition;
    partition.name = value_of(record, "PartitionName");
    partition.preempt_mode = value_of(record, "PreemptMode");
    if (partition.preempt_mode.empty()) partition.preempt_mode = "CLUSTER";
    partition.grace_time_s = leading_number(value_of(record, "GraceTime")).value_or(0);
    partition.max_time_s = parse_slurm_duration_s(value_of(record, "MaxTime"));
    return partition;
}

}  // namespace longhaul::cluster
