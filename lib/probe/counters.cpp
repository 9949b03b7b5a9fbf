// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/counters.h"

#include <chrono>
#include <set>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "lib/probe/fabric.h"

namespace longhaul::probe {

namespace {

using record::Finding;
using record::Status;

double unix_now_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string subject_of(const std::string& host, const std::string& port) {
    return host.empty() ? "port " + port : format("host {} port {}", host, port);
}

std::vector<Finding> findings_from_json(const io::Json& list, const std::string& source) {
    std::vector<Finding> findings;
    for (const io::Json& entry : list) {
        Finding finding;
        const auto name = io::require<std::string>(entry, "status", source);
        for (const Status status :
             {Status::kOk, Status::kNote, Status::kWarn, Status::kFail, Status::kUnknown}) {
            if (name == record::status_name(status)) finding.status = status;
        }
        finding.code = io::require<std::string>(entry, "code", source);
        finding.subject = io::require<std::string>(entry, "subject", source);
        finding.evidence = io::require<std::string>(entry, "evidence", source);
        finding.remedy = io::require<std::string>(entry, "remedy", source);
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::vector<Finding> judge_this_host(const CounterOptions& options, const std::string& host) {
    const auto tree = cluster::SysTree::open(options.sys_root);
    cluster::CounterReading before;
    if (options.since.empty()) {
        before = cluster::read_port_counters(tree, unix_now_s());
        std::this_thread::sleep_for(std::chrono::duration<double>(options.interval_s));
    } else {
        before = counter_reading_from_json(
            io::parse_json(io::read_all(options.since, 64 << 20), options.since), options.since);
    }
    const cluster::CounterReading after = cluster::read_port_counters(tree, unix_now_s());
    if (!options.save.empty()) {
        io::write_file_atomically(options.save, io::to_line(to_json(after)) + "\n");
    }
    return judge_counters(before, after, host);
}

}  // namespace

std::vector<Finding> judge_counters(const cluster::CounterReading& before,
                                    const cluster::CounterReading& after, const std::string& host) {
    const std::string where = host.empty() ? "ports" : "host " + host;
    if (after.ports.empty()) {
        return {{Status::kUnknown, "counters.none", where, "no network port with counters in /sys",
                 "look at /sys/class/infiniband and /sys/class/net of the host"}};
    }
    if (before.boot_id != after.boot_id) {
        return {{Status::kUnknown, "counters.rebooted", where,
                 "the earlier reading is of another boot", "take a new reading with --save"}};
    }
    std::vector<Finding> findings;
    for (const cluster::CounterRise& rise : cluster::rises(before, after)) {
        findings.push_back({rise.rule->is_fatal ? Status::kFail : Status::kWarn,
                            "counters." + std::string(rise.rule->name), subject_of(host, rise.port),
                            format("{} rose by {} in {}: {}", rise.rule->name, rise.rise,
                                   human_duration(rise.seconds), rise.rule->meaning),
                            std::string(rise.rule->remedy)});
    }
    if (findings.empty()) {
        findings.push_back(
            {Status::kOk, "counters.quiet", where,
             format("no error counter of {} ports rose above its limit in {}", after.ports.size(),
                    human_duration(after.unix_s - before.unix_s)),
             ""});
    }
    return findings;
}

io::Json to_json(const cluster::CounterReading& reading) {
    return io::Json{{"schema", 1},
                    {"boot_id", reading.boot_id},
                    {"unix_s", reading.unix_s},
                    {"ports", reading.ports}};
}

cluster::CounterReading counter_reading_from_json(const io::Json& json, const std::string& source) {
    cluster::CounterReading reading;
    reading.boot_id = io::require<std::string>(json, "boot_id", source);
    reading.unix_s = io::require<double>(json, "unix_s", source);
    reading.ports =
        io::require<std::map<std::string, std::map<std::string, int64_t>>>(json, "ports", source);
    return reading;
}

std::optional<std::vector<Finding>> run_counters(const CounterOptions& options) {
    const auto fabric = open_fabric();
    const std::string host = host_name();
    std::string report;
    if (fabric->size() == 1) return judge_this_host(options, "");
    report = io::to_line(record::to_json(judge_this_host(options, host)));
    const std::vector<RankInfo> ranks = gather_ranks(*fabric);
    const std::vector<std::string> reports = fabric->gather(report);
    if (fabric->rank() != 0) return std::nullopt;
    std::vector<Finding> findings;
    std::set<std::string> seen;
    for (size_t rank = 0; rank < reports.size(); ++rank) {
        if (!seen.insert(ranks[rank].host).second) continue;
        const std::string source = "report of " + ranks[rank].host;
        for (Finding& finding : findings_from_json(io::parse_json(reports[rank], source), source)) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

}  // namespace longhaul::probe
