// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/history.h"

#include <fcntl.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

/// @return nothing for a torn line or a newer schema; event "" for another tool's event.
std::optional<FaultEvent> parse_event(std::string_view line) {
    const io::Json json = io::Json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("schema", 0) != 1) return std::nullopt;
    FaultEvent event;
    try {
        event.event = json.value("event", "");
        if (event.event != "start" && event.event != "end") return FaultEvent{};
        event.time_unix_s = json.value("time_unix_s", int64_t{0});
        event.job_id = json.value("job", "");
        event.restart = json.value("restart", uint64_t{0});
        event.nodes = json.value("nodes", "");
        if (json.contains("step") && json["step"].is_number()) event.step = json["step"];
        event.cause = parse_cause(json.value("cause", "")).value_or(Cause::kCode);
        event.evidence = json.value("evidence", "");
        event.action = json.value("action", "");
        event.exit_code = json.value("exit_code", 0);
        event.duration_s = json.value("duration_s", 0.0);
    } catch (const io::Json::exception&) {
        return std::nullopt;
    }
    return event;
}

std::string to_text(const FaultEvent& event) {
    io::Json json;
    json["schema"] = 1;
    json["event"] = event.event;
    json["time_unix_s"] = event.time_unix_s;
    json["job"] = event.job_id;
    json["restart"] = event.restart;
    json["nodes"] = event.nodes;
    json["step"] = event.step ? io::Json(*event.step) : io::Json(nullptr);
    if (event.event == "end") {
        json["cause"] = cause_name(event.cause);
        json["evidence"] = event.evidence;
        json["action"] = event.action;
        json["exit_code"] = event.exit_code;
        json["duration_s"] = event.duration_s;
    }
    return io::to_line(json) + "\n";
}

}  // namespace

History::History(const std::filesystem::path& run) {
    if (run.empty()) return;
    file_ = run / "faults.jsonl";
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored)) return;
    const std::string text = io::read_text_file(file_);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        auto event = parse_event(line);
        if (!event && !line.empty()) ++num_unreadable_;
        if (event && !event->event.empty()) events_.push_back(std::move(*event));
        begin = end + 1;
    }
}

void History::append(const FaultEvent& event) {
    events_.push_back(event);
    if (file_.empty()) return;
    try {
        std::filesystem::create_directories(file_.parent_path());
        const auto fd = io::open_file(file_, O_WRONLY | O_CREAT | O_APPEND);
        io::write_full(fd.get(), to_text(event), file_.string());
    } catch (const std::exception& error) {
        if (!has_warned_) log::warn("the history of this run is lost: {}", error.what());
        has_warned_ = true;
    }
}

uint64_t History::next_restart(uint64_t floor) const {
    uint64_t next = floor;
    for (const FaultEvent& event : events_) next = std::max(next, event.restart + 1);
    return next;
}

size_t History::begin_of_current() const {
    for (size_t i = events_.size(); i > 0; --i) {
        const std::string& action = events_[i - 1].action;
        if (action == "hold" || action == "stop" || action == "done") return i;
    }
    return 0;
}

uint64_t History::restarts_without_progress(std::optional<uint64_t> newest_step) const {
    uint64_t restarts = 0;
    bool is_first = true;  // the first start of all, or after a hold, is no restart
    for (size_t i = begin_of_current(); i < events_.size(); ++i) {
        const FaultEvent& event = events_[i];
        if (event.event != "start") continue;
        if (event.step != newest_step) {
            restarts = 0;
        } else if (!is_first) {
            ++restarts;
        }
        is_first = false;
    }
    return restarts;
}

std::map<std::string, int> History::strikes() const {
    std::map<std::string, int> count;
    for (size_t i = begin_of_current(); i < events_.size(); ++i) {
        const FaultEvent& event = events_[i];
        if (event.event != "end" || !is_host_fault(event.cause)) continue;
        for (const std::string& host : cluster::expand_hostlist(event.nodes)) ++count[host];
    }
    return count;
}

}  // namespace longhaul::guard
