// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/format.h"
#include "lib/io/json.h"
#include "lib/probe/diagnose.h"

namespace longhaul::probe {

namespace {

const char* heading(RuleKind kind) {
    switch (kind) {
        case RuleKind::kCause:
            return "Cause";
        case RuleKind::kSlow:
            return "Slower than it could be";
        case RuleKind::kSymptom:
            return "Consequences, and what no rule explains";
    }
    return "";
}

const char* kind_name(RuleKind kind) {
    switch (kind) {
        case RuleKind::kCause:
            return "cause";
        case RuleKind::kSlow:
            return "slow";
        case RuleKind::kSymptom:
            return "symptom";
    }
    return "";
}

void append_text(const Diagnosis& diagnosis, std::string& text) {
    const record::Finding& finding = diagnosis.finding;
    text += format("  {:<7} {}  {}\n", record::status_name(finding.status), finding.code,
                   finding.subject);
    text += format("          {}\n", diagnosis.num_lines > 0 ? diagnosis.cause : finding.evidence);
    if (diagnosis.num_lines > 0) {
        text += format("          {}:{}: {}\n", diagnosis.file, diagnosis.line, diagnosis.excerpt);
        if (diagnosis.num_lines > 1) {
            text += format("          and {} more such lines\n", diagnosis.num_lines - 1);
        }
    }
    if (!finding.remedy.empty()) text += format("          remedy: {}\n", finding.remedy);
    if (!diagnosis.source.empty()) text += format("          known from: {}\n", diagnosis.source);
}

}  // namespace

std::string to_text(const DiagnosisReport& report) {
    std::string text;
    const RuleKind* last = nullptr;
    for (const Diagnosis& diagnosis : report.diagnoses) {
        const bool is_answer = diagnosis.finding.code.substr(0, 4) == "log.";
        if (is_answer) {
            text += format("{}: {}\n", record::status_name(diagnosis.finding.status),
                           diagnosis.finding.evidence);
            if (!diagnosis.finding.remedy.empty()) text += diagnosis.finding.remedy + "\n";
            continue;
        }
        if (last == nullptr || *last != diagnosis.kind) {
            text += format("{}{}:\n", text.empty() ? "" : "\n", heading(diagnosis.kind));
        }
        append_text(diagnosis, text);
        last = &diagnosis.kind;
    }
    return text;
}

io::Json to_json(const DiagnosisReport& report) {
    io::Json findings = io::Json::array();
    for (const Diagnosis& diagnosis : report.diagnoses) {
        const record::Finding& finding = diagnosis.finding;
        io::Json entry{{"status", record::status_name(finding.status)},
                       {"code", finding.code},
                       {"subject", finding.subject},
                       {"evidence", finding.evidence},
                       {"remedy", finding.remedy},
                       {"kind", kind_name(diagnosis.kind)}};
        if (diagnosis.num_lines > 0) {
            entry["num_lines"] = diagnosis.num_lines;
            entry["file"] = diagnosis.file;
            entry["line"] = diagnosis.line;
            entry["hosts"] = diagnosis.hosts;
            entry["ranks"] = diagnosis.ranks;
        }
        if (!diagnosis.source.empty()) entry["source"] = diagnosis.source;
        findings.push_back(std::move(entry));
    }
    return io::Json{{"schema", 1},
                    {"tool", "nccl-probe diagnose"},
                    {"files", report.files},
                    {"num_lines", report.num_lines},
                    {"num_nccl_lines", report.num_nccl_lines},
                    {"findings", std::move(findings)}};
}

}  // namespace longhaul::probe
