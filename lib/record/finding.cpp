// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/finding.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "lib/base/format.h"
#include "lib/io/json.h"

namespace longhaul::record {

namespace {

bool any(const std::vector<Finding>& findings, Status status) {
    return std::any_of(findings.begin(), findings.end(),
                       [status](const Finding& finding) { return finding.status == status; });
}

/// fail, unknown, warn, note, ok.
int severity(Status status) {
    switch (status) {
        case Status::kFail:
            return 0;
        case Status::kUnknown:
            return 1;
        case Status::kWarn:
            return 2;
        case Status::kNote:
            return 3;
        case Status::kOk:
            return 4;
    }
    return 5;
}

/// Happened once and is not seen at the next look, although its cause may last.
bool is_event(const std::string& code) {
    return code.rfind("xid.", 0) == 0 || code.rfind("node.port.", 0) == 0;
}

}  // namespace

const char* status_name(Status status) {
    switch (status) {
        case Status::kOk:
            return "ok";
        case Status::kNote:
            return "note";
        case Status::kWarn:
            return "warn";
        case Status::kFail:
            return "fail";
        case Status::kUnknown:
            break;
    }
    return "unknown";
}

std::vector<Finding> worst_first(std::vector<Finding> findings) {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return severity(a.status) < severity(b.status);
    });
    return findings;
}

ExitCode exit_code(const std::vector<Finding>& findings, bool strict) {
    if (any(findings, Status::kFail)) return ExitCode::kNegative;
    if (any(findings, Status::kUnknown)) return ExitCode::kFailed;
    if (strict && any(findings, Status::kWarn)) return ExitCode::kNegative;
    return ExitCode::kOk;
}

ExitCode exit_code_slurm(const std::vector<Finding>& findings) {
    return any(findings, Status::kFail) ? ExitCode::kNegative : ExitCode::kOk;
}

std::string drain_reason(const std::vector<Finding>& findings, const std::string& tool) {
    std::vector<Finding> fails;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(fails),
                 [](const Finding& finding) { return finding.status == Status::kFail; });
    // Events first: a script that reads the shortened line must see that there was one.
    std::stable_partition(fails.begin(), fails.end(),
                          [](const Finding& finding) { return is_event(finding.code); });
    std::string reason;
    for (const Finding& finding : fails) {
        reason += (reason.empty() ? tool + ": " : "; ") +
                  format("{} {}: {}", finding.code, finding.subject, finding.evidence);
    }
    // Slurm shows reasons in tables: one line, and short enough to read.
    static constexpr size_t kMaxReason = 250;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    if (reason.size() > kMaxReason) reason = reason.substr(0, kMaxReason - 3) + "...";
    return reason;
}

io::Json to_json(const std::vector<Finding>& findings) {
    io::Json list = io::Json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"status", status_name(finding.status)},
                        {"code", finding.code},
                        {"subject", finding.subject},
                        {"evidence", finding.evidence},
                        {"remedy", finding.remedy}});
    }
    return list;
}

std::string to_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : worst_first(findings)) {
        std::string line = format("{:<8}{}  {}: {}", status_name(finding.status), finding.code,
                                  finding.subject, finding.evidence);
        if (!finding.remedy.empty()) line += " -> " + finding.remedy;
        // Subjects may be names of files, which hold anything.
        const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
        std::replace_if(line.begin(), line.end(), is_control, ' ');
        text += line + "\n";
    }
    return text;
}

}  // namespace longhaul::record
