// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/run.h"

#include <algorithm>

#include "lib/base/format.h"
#include "lib/io/json.h"

namespace longhaul::health {

namespace {

using record::Finding;
using record::Status;

std::string escape_label(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\' || c == '"') escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

}  // namespace

Report run_checks(const World& world) {
    Report report;
    report.host = world.now.host;
    for (const auto& check : all_checks()) {
        const std::string reason = check->filter(world);
        if (reason.empty()) {
            check->run(world, report.findings);
        } else {
            report.skipped.emplace_back(check->key(), reason);
        }
    }
    apply_status(world.policy, report.findings);
    return report;
}

void add_state_note(const State& state, Findings& findings) {
    if (state.problem.empty()) return;
    findings.push_back({Status::kNote, "node.state", "state of the last run", state.problem,
                        "it is written anew; rises of counters are judged from the next run on"});
}

io::Json to_json(const Report& report) {
    io::Json skipped = io::Json::array();
    for (const auto& [check, why] : report.skipped)
        skipped.push_back({{"check", check}, {"why", why}});
    return io::Json{{"schema", 1},
                    {"tool", "gpu-health"},
                    {"host", report.host},
                    {"findings", record::to_json(report.findings)},
                    {"skipped", std::move(skipped)}};
}

std::string to_text(const Report& report, bool verbose) {
    Findings shown;
    for (const Finding& finding : report.findings) {
        if (verbose || finding.status != Status::kOk) shown.push_back(finding);
    }
    std::string text = record::to_text(shown);
    const auto num_ok = std::count_if(report.findings.begin(), report.findings.end(),
                                      [](const Finding& f) { return f.status == Status::kOk; });
    if (!verbose) text += format("ok      {} of {} findings\n", num_ok, report.findings.size());
    for (const auto& [check, why] : report.skipped) {
        if (verbose) text += format("skipped {}: {}\n", check, why);
    }
    return text;
}

std::string to_prometheus(const Report& report) {
    std::string text =
        "# HELP longhaul_gpu_health_finding 1 for each finding that is not ok.\n"
        "# TYPE longhaul_gpu_health_finding gauge\n";
    for (const Finding& finding : report.findings) {
        if (finding.status == Status::kOk) continue;
        text +=
            format("longhaul_gpu_health_finding{{status=\"{}\",code=\"{}\",subject=\"{}\"}} 1\n",
                   record::status_name(finding.status), escape_label(finding.code),
                   escape_label(finding.subject));
    }
    return text + format(
                      "# HELP longhaul_gpu_health_exit_code exit status of the last run.\n"
                      "# TYPE longhaul_gpu_health_exit_code gauge\n"
                      "longhaul_gpu_health_exit_code {}\n",
                      to_int(record::exit_code(report.findings)));
}

}  // namespace longhaul::health
