// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/explain.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cluster/agent.h"
#include "lib/guard/job_index.h"
#include "lib/io/json.h"

namespace longhaul::guard {
namespace {

namespace fs = std::filesystem;

/// A run directory as given, or found by the id of a job.
fs::path find_run(const std::string& job_or_run) {
    std::error_code ignored;
    if (fs::is_directory(job_or_run, ignored)) return job_or_run;
    if (const auto run = run_of_job(job_or_run)) return *run;
    throw UsageError(
        format("{} is neither a run directory nor a job that job-guard ran with --run on this "
               "account",
               job_or_run));
}

std::string state_of(const std::string& job_id) {
    const cluster::AgentClient agent;
    if (job_id.empty() || !agent.is_available()) return "";
    try {
        const cluster::JobInfo job = agent.job(job_id);
        const bool has_reason = job.state == "PENDING" && !job.reason.empty();
        return has_reason ? job.state + " (" + job.reason + ")" : job.state;
    } catch (const Error&) {
        return "";  // Slurm forgets a job minutes after its end
    }
}

std::string time_text(int64_t unix_s) {
    const time_t time = unix_s;
    tm parts;
    localtime_r(&time, &parts);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

std::string step_text(const std::optional<uint64_t>& step) {
    return step ? format("step {}", *step) : "no checkpoint";
}

std::string line_of(const FaultEvent& event) {
    const std::string job = event.job_id.empty() ? "" : format("job {} ", event.job_id);
    if (event.event == "start") {
        return format("{}  {}start {}{} from {}", time_text(event.time_unix_s), job, event.restart,
                      event.nodes.empty() ? "" : " on " + event.nodes, step_text(event.step));
    }
    return format("{}  {}end {} after {} at {}: {}{}: {} -> {}", time_text(event.time_unix_s), job,
                  event.restart, human_duration(event.duration_s), step_text(event.step),
                  cause_name(event.cause), event.nodes.empty() ? "" : " on " + event.nodes,
                  event.evidence, event.action);
}

/// "node 3 (n2 twice, n7)": causes by how often.
std::string counts_text(const std::vector<FaultEvent>& events) {
    std::map<Cause, int> counts;
    for (const FaultEvent& event : events) {
        if (event.event == "end") ++counts[event.cause];
    }
    std::string text;
    for (const auto& [cause, count] : counts) {
        text += format("{}{} {}", text.empty() ? "" : ", ", cause_name(cause), count);
    }
    return text;
}

const FaultEvent* last_of(const std::vector<FaultEvent>& events, const std::string& kind) {
    const auto found = std::find_if(events.rbegin(), events.rend(),
                                    [&](const FaultEvent& event) { return event.event == kind; });
    return found == events.rend() ? nullptr : &*found;
}

/// What the run is doing now, or why it is not.
std::string conclusion(const Explanation& explanation) {
    const std::vector<FaultEvent>& events = explanation.events;
    if (events.empty()) return "job-guard has started nothing here.";
    const FaultEvent& last = events.back();
    if (last.event == "start") {
        const bool runs = explanation.job_state == "RUNNING";
        return format("Start {} {}.", last.restart,
                      runs ? "is running"
                           : "has no end here: it is running, or job-guard was lost with its host");
    }
    const std::string remedy = cause_remedy(last.cause);
    return format("It ended because {}; then: {}.{}", cause_meaning(last.cause), last.action,
                  remedy.empty() || is_orderly(last.cause) ? "" : "\nWhat to do: " + remedy + ".");
}

io::Json event_json(const FaultEvent& event) {
    io::Json json;
    json["event"] = event.event;
    json["time_unix_s"] = event.time_unix_s;
    json["job"] = event.job_id;
    json["restart"] = event.restart;
    json["nodes"] = event.nodes;
    json["step"] = event.step ? io::Json(*event.step) : io::Json(nullptr);
    if (event.event == "end") {
        json["cause"] = cause_name(event.cause);
        json["meaning"] = cause_meaning(event.cause);
        json["remedy"] = cause_remedy(event.cause);
        json["evidence"] = event.evidence;
        json["action"] = event.action;
        json["duration_s"] = event.duration_s;
    }
    return json;
}

}  // namespace

Explanation explain(const std::string& job_or_run) {
    Explanation explanation;
    explanation.run = find_run(job_or_run);
    std::error_code ignored;
    if (!fs::exists(explanation.run / "faults.jsonl", ignored)) {
        throw DataError(
            format("{}: no faults.jsonl here: job-guard has started nothing with this "
                   "run directory",
                   explanation.run.string()));
    }
    const History history(explanation.run);
    explanation.events = history.events();
    explanation.num_unreadable = history.num_unreadable();
    explanation.newest_step = newest_committed_step(explanation.run);
    const FaultEvent* start = last_of(explanation.events, "start");
    if (start) explanation.job_state = state_of(start->job_id);
    return explanation;
}

std::string to_text(const Explanation& explanation) {
    std::string text = explanation.run.string() + "\n";
    for (const FaultEvent& event : explanation.events) text += line_of(event) + "\n";
    if (explanation.num_unreadable > 0) {
        text +=
            format("Lines of faults.jsonl that can not be read: {}\n", explanation.num_unreadable);
    }
    const std::string counts = counts_text(explanation.events);
    if (!counts.empty()) text += "\nEnds: " + counts + "\n";
    text += "Newest checkpoint: " + step_text(explanation.newest_step) + "\n";
    if (!explanation.job_state.empty()) text += "Slurm: " + explanation.job_state + "\n";
    return text + conclusion(explanation) + "\n";
}

io::Json to_json(const Explanation& explanation) {
    io::Json json;
    json["schema"] = 1;
    json["run"] = explanation.run.string();
    json["newest_step"] =
        explanation.newest_step ? io::Json(*explanation.newest_step) : io::Json(nullptr);
    json["job_state"] =
        explanation.job_state.empty() ? io::Json(nullptr) : io::Json(explanation.job_state);
    json["unreadable_lines"] = explanation.num_unreadable;
    json["events"] = io::Json::array();
    for (const FaultEvent& event : explanation.events) json["events"].push_back(event_json(event));
    return json;
}

}  // namespace longhaul::guard
