// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/policy.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "lib/base/error.h"

namespace longhaul::health {

namespace {

using record::Finding;
using record::Status;

bool names(const std::vector<std::string>& patterns, const std::string& code) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        if (!pattern.empty() && pattern.back() == '*') {
            return code.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
        }
        return code == pattern;
    });
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

int64_t to_number(const std::string& text, const std::string& whole) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
        throw UsageError(format("\"{}\" is no number of GPUs in \"{}\"", text, whole));
    }
    return value;
}

}  // namespace

Context context_from_name(const std::string& name) {
    if (name.empty()) return Context::kNone;
    if (name == "prolog") return Context::kProlog;
    if (name == "epilog") return Context::kEpilog;
    if (name == "healthcheck") return Context::kHealthcheck;
    if (name == "job") return Context::kJob;
    throw UsageError(format("unknown context {}: prolog, epilog, healthcheck or job", name));
}

void declare(config::Schema& schema, Policy& policy) {
    schema.section("expect", "what every node must have");
    schema.add("expect", "gpus", policy.gpus, "number of GPUs; -1: do not know");
    schema.add("expect", "model", policy.model, "part of the name of every GPU, such as H100");
    schema.add("expect", "driver", policy.driver, "beginning of the driver's version");
    schema.add("expect", "nvlink_links", policy.nvlink_links,
               "active NVLinks of each GPU; -1: as many as its peers");
    schema.section("limits", "when something becomes a warning");
    schema.add("limits", "temperature_margin_c", policy.temperature_margin_c,
               "degrees below the slowdown threshold");
    schema.add("limits", "corrected_per_hour", policy.corrected_per_hour,
               "corrected ECC errors of a GPU");
    schema.add("limits", "pcie_replays_per_hour", policy.pcie_replays_per_hour, "of a GPU");
    schema.add("limits", "nvlink_errors_per_hour", policy.nvlink_errors_per_hour, "of a GPU");
    schema.add("limits", "disk_free_mib", policy.disk_free_mib, "free space of each disk");
    schema.add("limits", "memory_available_percent", policy.memory_available_percent,
               "of the host's memory");
    schema.add("limits", "leftover_memory_mib", policy.leftover_memory_mib,
               "GPU memory in use between jobs");
    schema.add("limits", "disks", policy.disks, "folders whose file systems are checked");
    schema.section("status", "codes (or beginnings, with *) whose status the site decides");
    schema.add("status", "note", policy.note, "no more than a note");
    schema.add("status", "warn", policy.warn, "a warning");
    schema.add("status", "fail", policy.fail, "a failure");
}

int64_t gpus_in_gres(const std::string& gres) {
    int64_t total = -1;
    std::string plain;  // without "(S:0-1)" and "(IDX:0-3)", whose commas separate nothing
    int depth = 0;
    for (const char c : gres) {
        depth += c == '(' ? 1 : 0;
        if (depth == 0) plain += c;
        depth -= c == ')' && depth > 0 ? 1 : 0;
    }
    for (const std::string& entry : split(plain, ',')) {
        const bool has_prefix = entry.rfind("gres/", 0) == 0 || entry.rfind("gres:", 0) == 0;
        std::string name = has_prefix ? entry.substr(5) : entry;
        std::replace(name.begin(), name.end(), '=', ':');  // as in gres/gpu=8
        const std::vector<std::string> parts = split(name, ':');
        if (parts[0] != "gpu") continue;
        const bool has_count =
            parts.size() > 1 && !parts.back().empty() &&
            (parts.size() > 2 || (parts.back()[0] >= '0' && parts.back()[0] <= '9'));
        total = std::max<int64_t>(total, 0) + (has_count ? to_number(parts.back(), gres) : 1);
    }
    return total;
}

std::vector<int> job_gpus() {
    std::vector<int> indices;
    const char* list = std::getenv("SLURM_JOB_GPUS");
    if (list == nullptr) return indices;
    for (const std::string& part : split(list, ',')) {
        int index = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (error == std::errc() && end == part.data() + part.size()) indices.push_back(index);
    }
    return indices;
}

void expect_from_environment(Policy& policy, Context context) {
    if (policy.gpus >= 0) return;
    if (const char* count = std::getenv("SLURM_GPUS_ON_NODE")) {
        policy.gpus = to_number(count, format("SLURM_GPUS_ON_NODE={}", count));
        policy.gpus_source = "SLURM_GPUS_ON_NODE";
        return;
    }
    const std::vector<int> indices = job_gpus();
    const bool sees_node = context == Context::kProlog || context == Context::kEpilog;
    if (indices.empty() || !sees_node) return;
    policy.gpus = *std::max_element(indices.begin(), indices.end()) + 1;
    policy.gpus_source = "SLURM_JOB_GPUS";
}

void apply_status(const Policy& policy, std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        const bool is_unknown = finding.status == Status::kUnknown;
        if (finding.status == Status::kOk) continue;
        if (!is_unknown && names(policy.note, finding.code)) finding.status = Status::kNote;
        if (!is_unknown && names(policy.warn, finding.code)) finding.status = Status::kWarn;
        if (names(policy.fail, finding.code)) finding.status = Status::kFail;
    }
}

}  // namespace longhaul::health
