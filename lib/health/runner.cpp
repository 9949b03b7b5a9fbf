// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/runner.h"

#include <chrono>
#include <thread>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "lib/log/log.h"

namespace longhaul::health {

namespace {

constexpr size_t kMaxRecordingBytes = 256 << 20;

Snapshot read_recording(const std::string& input) {
    const std::string source = input == "-" ? "standard input" : input;
    return snapshot_from_json(io::parse_json(io::read_all(input, kMaxRecordingBytes), source),
                              source);
}

void keep_state(const std::string& path, const Snapshot& now, const State& before) {
    try {
        save_state(path, next_state(now, before));
    } catch (const Error& error) {
        log::warn("the state of this run is not kept: {}", error.describe());
    }
}

/// Of a report, what makes another one a change: not the figures, which never stand still.
std::string what_counts(const Report& report) {
    std::string text;
    for (const record::Finding& finding : report.findings) {
        text += format("{} {} {}\n", record::status_name(finding.status), finding.code,
                       finding.subject);
    }
    return text;
}

}  // namespace

double default_deadline_s(Context context) {
    switch (context) {
        case Context::kProlog:
        case Context::kEpilog:
            return 8;
        case Context::kHealthcheck:
            return 45;
        case Context::kJob:
        case Context::kNone:
            break;
    }
    return 30;
}

Report run_once(const RunOptions& options) {
    const Snapshot now =
        options.input.empty() ? collect(options.collect) : read_recording(options.input);
    const State before = load_state(options.state);
    const World world{now, before, options.policy, options.context, job_gpus()};
    Report report = run_checks(world);
    add_state_note(before, report.findings);
    if (options.is_active) {
        for (auto& finding : run_active(options.active, now)) report.findings.push_back(finding);
    }
    if (options.context != Context::kNone && !options.state.empty()) {
        keep_state(options.state, now, before);
    }
    return report;
}

void watch(const RunOptions& options, double every_s, const std::atomic<bool>& stop,
           const std::function<void(const Report&)>& on_change,
           const std::function<void(const Report&)>& on_run) {
    constexpr std::chrono::milliseconds kNap(100);
    for (std::string last; !stop;) {
        const Report report = run_once(options);
        std::string text = what_counts(report);
        if (text != last) on_change(report);
        last = std::move(text);
        on_run(report);
        const auto until =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(every_s);
        while (!stop && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kNap);
    }
}

}  // namespace longhaul::health
