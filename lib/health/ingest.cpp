// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/ingest.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::health {

namespace {

using record::Finding;
using record::Status;

Status status_from_name(const std::string& name, const std::string& place) {
    for (const Status status :
         {Status::kOk, Status::kNote, Status::kWarn, Status::kFail, Status::kUnknown}) {
        if (name == record::status_name(status)) return status;
    }
    throw DataError(format("{}: \"{}\" is no status", place, name));
}

/// "host n3", "host n3 port mlx5_0/1", "rank 3@n3": the host of a subject, or "".
std::string host_of(const std::string& subject) {
    if (subject.rfind("host ", 0) == 0) {
        return subject.substr(5, subject.find(' ', 5) - 5);
    }
    const size_t at = subject.find('@');
    const bool is_rank = subject.rfind("rank ", 0) == 0 && at != std::string::npos;
    return is_rank ? subject.substr(at + 1) : "";
}

/// "link n3-n5" (names may hold "-"): true when either end is `host`.
bool is_end_of_link(const std::string& subject, const std::string& host) {
    if (subject.rfind("link ", 0) != 0) return false;
    const std::string ends = subject.substr(5);
    const auto is_host = [&](const std::string& end) {
        return end == host ||
               (end.size() > host.size() && end.substr(end.size() - host.size() - 1) == "@" + host);
    };
    for (size_t dash = ends.find('-'); dash != std::string::npos; dash = ends.find('-', dash + 1)) {
        if (is_host(ends.substr(0, dash)) || is_host(ends.substr(dash + 1))) return true;
    }
    return false;
}

}  // namespace

std::vector<Finding> findings_from_json(const io::Json& json, const std::string& source) {
    const auto schema = io::require<int64_t>(json, "schema", source);
    if (schema != 1) throw DataError(format("{}: schema {} is not known (1 is)", source, schema));
    const io::Json list = io::require<io::Json>(json, "findings", source);
    if (!list.is_array()) throw DataError(format("{}: \"findings\" is no array", source));
    std::vector<Finding> findings;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string place = format("{}: findings[{}]", source, i);
        findings.push_back(
            {status_from_name(io::require<std::string>(list[i], "status", place), place),
             io::require<std::string>(list[i], "code", place),
             io::require<std::string>(list[i], "subject", place),
             io::require<std::string>(list[i], "evidence", place),
             io::require<std::string>(list[i], "remedy", place)});
    }
    return findings;
}

std::optional<Finding> finding_of_absence(const io::Json& json, const std::string& host) {
    if (!json.contains("members") || !json["members"].is_array()) return std::nullopt;
    for (const io::Json& member : json["members"]) {
        if (!member.is_string()) continue;
        const auto name = member.get<std::string>();  // "n3" or "2@n3"
        if (name == host || name.substr(name.find('@') + 1) == host) return std::nullopt;
    }
    return Finding{
        Status::kUnknown, "ingest.absent", "host " + host,
        format("it is none of the {} members that were measured", json["members"].size()),
        "run nccl-probe with this host, or name it as nccl-probe does: --host"};
}

std::vector<Finding> findings_about(const std::vector<Finding>& findings, const std::string& host) {
    std::vector<Finding> mine;
    for (const Finding& finding : findings) {
        if (host_of(finding.subject) == host) {
            mine.push_back(finding);
        } else if (is_end_of_link(finding.subject, host)) {
            mine.push_back(finding);
            if (finding.status == Status::kFail) mine.back().status = Status::kWarn;
        }
    }
    if (mine.empty()) {
        mine.push_back({Status::kOk, "ingest.nothing", "host " + host,
                        format("none of {} findings is about it", findings.size()), ""});
    }
    return mine;
}

}  // namespace longhaul::health
