// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/diagnose.h"

#include <algorithm>

#include "lib/base/format.h"
#include "lib/io/line_reader.h"
#include "lib/probe/phrase_matcher.h"

namespace longhaul::probe {

namespace {

using record::Status;

constexpr size_t kMaxLineBytes = 1 << 20;  // a longer line is judged by its first MiB
constexpr size_t kExcerptBytes = 180;
constexpr size_t kMaxNames = 4096;  // hosts or ranks remembered for one finding

/// Cut, and printable: a log may hold escape sequences.
std::string excerpt_of(std::string_view line) {
    std::string text;
    for (const char c : line.substr(0, kExcerptBytes)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || byte >= 0x7F ? '?' : c;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return line.size() > kExcerptBytes ? text + "..." : text;
}

std::vector<std::string_view> first_phrases() {
    std::vector<std::string_view> phrases;
    for (const Rule& rule : diagnose_rules()) phrases.push_back(rule.phrases[0]);
    return phrases;
}

bool has_rest_in_order(const Rule& rule, std::string_view line, size_t from) {
    for (size_t i = 1; i < rule.phrases.size() && !rule.phrases[i].empty(); ++i) {
        const size_t at = line.find(rule.phrases[i], from);
        if (at == std::string_view::npos) return false;
        from = at + rule.phrases[i].size();
    }
    return true;
}

struct Sighting {
    Diagnosis diagnosis;
    uint64_t order = 0;  // of the first line among all files
};

}  // namespace

struct LogDiagnoser::Impl {
    PhraseMatcher matcher{first_phrases()};
    LogTracker tracker;
    DiagnosisReport totals;
    std::map<std::string_view, Sighting> by_code;
    std::vector<PhraseMatcher::Hit> hits;
    Sighting unknown_warning;

    void add_line(const std::string& file, const io::Line& line);
    void note(Sighting& sighting, const std::string& file, const io::Line& line,
              const LogLine& parsed) const;
    bool match_rules(const std::string& file, const io::Line& line, const LogLine& parsed);
};

void LogDiagnoser::Impl::note(Sighting& sighting, const std::string& file, const io::Line& line,
                              const LogLine& parsed) const {
    Diagnosis& diagnosis = sighting.diagnosis;
    if (diagnosis.num_lines++ == 0) {
        sighting.order = totals.num_lines;
        diagnosis.file = file;
        diagnosis.line = line.number;
        diagnosis.excerpt =
            excerpt_of(parsed.level == LogLevel::kNone ? line.text : parsed.message);
    }
    if (!parsed.host.empty() && diagnosis.hosts.size() < kMaxNames) {
        diagnosis.hosts.emplace(parsed.host);
    }
    const int rank = tracker.rank_of(parsed);
    if (rank >= 0 && diagnosis.ranks.size() < kMaxNames) diagnosis.ranks.insert(rank);
}

bool LogDiagnoser::Impl::match_rules(const std::string& file, const io::Line& line,
                                     const LogLine& parsed) {
    hits.clear();
    matcher.find(line.text, hits);
    std::sort(hits.begin(), hits.end(),
              [](const auto& a, const auto& b) { return a.phrase < b.phrase; });
    bool is_explained = false;
    for (const PhraseMatcher::Hit& hit : hits) {
        const Rule& rule = diagnose_rules()[hit.phrase];
        if (!has_rest_in_order(rule, line.text, hit.end)) continue;
        Sighting& sighting = by_code[rule.code];
        if (sighting.diagnosis.num_lines == 0) {
            sighting.diagnosis.kind = rule.kind;
            sighting.diagnosis.cause = rule.cause;
            sighting.diagnosis.source = rule.source;
            sighting.diagnosis.finding.code = rule.code;
            sighting.diagnosis.finding.remedy = rule.remedy;
        }
        note(sighting, file, line, parsed);
        is_explained = true;
    }
    return is_explained;
}

void LogDiagnoser::Impl::add_line(const std::string& file, const io::Line& line) {
    ++totals.num_lines;
    const LogLine parsed = parse_log_line(line.text);
    totals.num_nccl_lines += parsed.level != LogLevel::kNone ? 1 : 0;
    tracker.add(parsed, line.text);
    const bool is_explained = match_rules(file, line, parsed);
    if (parsed.level == LogLevel::kWarn && !is_explained) {
        note(unknown_warning, file, line, parsed);
    }
}

LogDiagnoser::LogDiagnoser() : impl_(std::make_unique<Impl>()) {}
LogDiagnoser::~LogDiagnoser() = default;

void LogDiagnoser::read(io::InputStream& input) {
    impl_->totals.files.push_back(input.name());
    io::LineReader reader(input, kMaxLineBytes);
    for (io::Line line; reader.next(line);) impl_->add_line(input.name(), line);
}

namespace {

std::string subject_of(const Diagnosis& diagnosis) {
    std::string subject;
    if (diagnosis.hosts.size() == 1) {
        subject = "host " + *diagnosis.hosts.begin();
    } else if (!diagnosis.hosts.empty()) {
        subject = format("{} hosts ({}, ...)", diagnosis.hosts.size(), *diagnosis.hosts.begin());
    }
    if (!diagnosis.ranks.empty()) {
        subject += format("{}rank{} {}", subject.empty() ? "" : " ",
                          diagnosis.ranks.size() == 1 ? "" : "s", compact_list(diagnosis.ranks));
    }
    return subject.empty() ? "job" : subject;
}

Status status_of(RuleKind kind, bool have_cause) {
    switch (kind) {
        case RuleKind::kCause:
            return Status::kFail;
        case RuleKind::kSlow:
            return Status::kWarn;
        case RuleKind::kSymptom:
            return have_cause ? Status::kNote : Status::kUnknown;
    }
    return Status::kUnknown;
}

Diagnosis from_fact(const TrackedFact& fact) {
    Diagnosis diagnosis;
    diagnosis.kind = fact.kind;
    diagnosis.finding = {Status::kUnknown, fact.code, fact.subject, fact.evidence, fact.remedy};
    return diagnosis;
}

Diagnosis from_variable(const record::Finding& finding) {
    Diagnosis diagnosis;
    diagnosis.kind = RuleKind::kSlow;
    diagnosis.finding = finding;
    return diagnosis;
}

void add_unknown_warning(const Diagnosis& seen, bool have_cause, DiagnosisReport& report) {
    if (seen.num_lines == 0) return;
    Diagnosis diagnosis = seen;
    diagnosis.kind = RuleKind::kSymptom;
    diagnosis.cause = "a warning of NCCL that no rule knows";
    diagnosis.finding = {have_cause ? Status::kNote : Status::kUnknown, "nccl.warning", "", "",
                         "read the line; search the NCCL issues for it"};
    report.diagnoses.push_back(std::move(diagnosis));
}

void complete(Diagnosis& diagnosis) {
    if (diagnosis.num_lines == 0) return;
    diagnosis.finding.subject = subject_of(diagnosis);
    diagnosis.finding.evidence =
        format("{} [{}:{}{}: {}]", diagnosis.cause, diagnosis.file, diagnosis.line,
               diagnosis.num_lines > 1 ? format(", {} lines", diagnosis.num_lines) : "",
               diagnosis.excerpt);
}

void add_nothing_found(DiagnosisReport& report) {
    Diagnosis diagnosis;
    diagnosis.kind = RuleKind::kSlow;
    if (report.num_nccl_lines > 0) {
        diagnosis.finding = {Status::kOk, "log.clean", "job",
                             format("no known fault in {} lines ({} of NCCL)", report.num_lines,
                                    report.num_nccl_lines),
                             ""};
    } else {
        diagnosis.finding = {
            Status::kUnknown, "log.silent", "job",
            format("no line of NCCL and no known fault in {} lines", report.num_lines),
            "run the job with NCCL_DEBUG=INFO (or WARN) and diagnose that log"};
    }
    report.diagnoses.push_back(std::move(diagnosis));
}

}  // namespace

DiagnosisReport LogDiagnoser::report() const {
    DiagnosisReport report = impl_->totals;
    std::vector<Sighting> sightings;
    for (const auto& [code, sighting] : impl_->by_code) sightings.push_back(sighting);
    std::sort(sightings.begin(), sightings.end(),
              [](const Sighting& a, const Sighting& b) { return a.order < b.order; });
    for (Sighting& sighting : sightings) report.diagnoses.push_back(std::move(sighting.diagnosis));
    for (const TrackedFact& fact : impl_->tracker.facts()) {
        const bool is_known = impl_->by_code.count(fact.code) > 0;
        if (!is_known) report.diagnoses.push_back(from_fact(fact));
    }
    const bool have_cause =
        std::any_of(report.diagnoses.begin(), report.diagnoses.end(),
                    [](const Diagnosis& d) { return d.kind == RuleKind::kCause; });
    for (Diagnosis& diagnosis : report.diagnoses) {
        diagnosis.finding.status = status_of(diagnosis.kind, have_cause);
    }
    for (record::Finding& finding : audit_environment(impl_->tracker.environment(), {})) {
        if (finding.status != Status::kOk) report.diagnoses.push_back(from_variable(finding));
    }
    add_unknown_warning(impl_->unknown_warning.diagnosis, have_cause, report);
    for (Diagnosis& diagnosis : report.diagnoses) complete(diagnosis);
    std::stable_sort(report.diagnoses.begin(), report.diagnoses.end(),
                     [](const Diagnosis& a, const Diagnosis& b) { return a.kind < b.kind; });
    if (report.diagnoses.empty()) add_nothing_found(report);
    return report;
}

std::vector<record::Finding> DiagnosisReport::findings() const {
    std::vector<record::Finding> list;
    for (const Diagnosis& diagnosis : diagnoses) list.push_back(diagnosis.finding);
    return list;
}

}  // namespace longhaul::probe
