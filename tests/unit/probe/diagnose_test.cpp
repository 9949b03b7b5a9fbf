// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/diagnose.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lib/base/format.h"
#include "lib/io/file.h"
#include "lib/io/json.h"

using namespace longhaul;
using namespace longhaul::probe;

namespace {

std::string data(const std::string& name) {
    const char* folder = std::getenv("DATA");
    REQUIRE(folder != nullptr);
    return std::string(folder) + "/nccl-logs/" + name;
}

/// A log in memory.
class TextInput : public io::InputStream {
 public:
    explicit TextInput(std::string text) : text_(std::move(text)) {}
    size_t read(std::span<std::byte> buffer) override {
        const size_t n = std::min(buffer.size(), text_.size() - at_);
        std::memcpy(buffer.data(), text_.data() + at_, n);
        at_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }
    uint64_t stored_bytes() const override { return at_; }
    Hash128 stored_hash() const override { return {}; }

 private:
    std::string text_, name_ = "LOG";
    size_t at_ = 0;
};

DiagnosisReport diagnose(const std::string& text) {
    LogDiagnoser diagnoser;
    TextInput input(text);
    diagnoser.read(input);
    return diagnoser.report();
}

DiagnosisReport diagnose_file(const std::string& name) {
    LogDiagnoser diagnoser;
    const auto input = io::open_input(data(name));
    diagnoser.read(*input);
    return diagnoser.report();
}

/// "fail nccl.shm.full host n1 rank 1", one line a finding.
std::string summary(const DiagnosisReport& report) {
    std::string text;
    for (const auto& finding : report.findings()) {
        text += format("{} {} {}\n", record::status_name(finding.status), finding.code,
                       finding.subject);
    }
    return text;
}

struct Sample {
    std::string code, text;
};

std::vector<Sample> samples() {
    std::vector<Sample> list;
    const std::string text = io::read_text_file(data("samples.txt"));
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.rfind("== ", 0) == 0) {
            list.push_back({line.substr(3), ""});
        } else if (!list.empty()) {
            list.back().text += line + "\n";
        }
    }
    return list;
}

bool matches(const Rule& rule, const std::string& text) {
    size_t from = 0;
    for (const std::string_view phrase : rule.phrases) {
        if (phrase.empty()) return true;
        const size_t at = text.find(phrase, from);
        if (at == std::string::npos) return false;
        from = at + phrase.size();
    }
    return true;
}

}  // namespace

TEST_CASE("diagnose: every sample gives its code and no other cause") {
    for (const Sample& sample : samples()) {
        CAPTURE(sample.text);
        const DiagnosisReport report = diagnose(sample.text);
        bool found = false;
        for (const Diagnosis& diagnosis : report.diagnoses) {
            if (diagnosis.finding.code == sample.code) {
                found = true;
            } else {
                CAPTURE(diagnosis.finding.code);
                CHECK(diagnosis.kind == RuleKind::kSymptom);
            }
        }
        CHECK(found);
    }
}

TEST_CASE("diagnose: every rule has a sample") {
    const std::vector<Sample> all = samples();
    for (const Rule& rule : diagnose_rules()) {
        CAPTURE(rule.code);
        CAPTURE(rule.phrases[0]);
        CHECK(std::any_of(all.begin(), all.end(), [&](const Sample& sample) {
            return sample.code == rule.code && matches(rule, sample.text);
        }));
        CHECK_FALSE(rule.cause.empty());
        CHECK_FALSE(rule.remedy.empty());
    }
}

TEST_CASE("diagnose: the cause comes before its consequences, with place, rank and host") {
    const DiagnosisReport report = diagnose_file("shm-full.log");
    CHECK(summary(report) ==
          "fail nccl.shm.full host n1 rank 1\n"
          "note nccl.remote_closed host n1 rank 0\n"
          "note nccl.unhandled rank 1\n"
          "note nccl.init.incomplete ranks 0-1\n"
          "note nccl.warning host n1 rank 1\n");
    CHECK(report.diagnoses[0].line == 10);
    CHECK(report.diagnoses[0].num_lines == 1);
    CHECK(record::exit_code(report.findings()) == ExitCode::kNegative);
}

TEST_CASE("diagnose: a port error explains the completions that follow") {
    CHECK(summary(diagnose_file("flapping-link.log")) ==
          "fail nccl.ib.port_error host n2 rank 1\n"
          "fail nccl.ib.retry_exceeded host n2 rank 1\n"
          "warn nccl.gdr.off host n2\n"
          "note nccl.ib.flushed host n1 rank 0\n");
}

TEST_CASE("diagnose: watchdog time-outs name the ranks behind or absent") {
    CHECK(summary(diagnose_file("desync.log")) == "fail nccl.watchdog.desync ranks 2\n");
    const DiagnosisReport stalled = diagnose_file("stalled.log");
    CHECK(summary(stalled) == "unknown nccl.watchdog.stalled ranks 2\n");
    CHECK(record::exit_code(stalled.findings()) == ExitCode::kFailed);
}

TEST_CASE("diagnose: silent fallback to TCP, and the variable that did it") {
    CHECK(summary(diagnose_file("tcp-fallback.log")) ==
          "warn nccl.net.tcp host n1\nwarn env.ib_off NCCL_IB_DISABLE=1\n");
}

TEST_CASE("diagnose: ranks that never came") {
    const DiagnosisReport report = diagnose_file("bootstrap-hang.log");
    CHECK(summary(report) == "unknown nccl.init.incomplete ranks 3\n");
    CHECK(report.diagnoses[0].finding.evidence ==
          "communicator 0x9: ranks 0-2 of 4 began and never completed; no line of ranks 3");
}

TEST_CASE("diagnose: a clean log is ok, a log without NCCL is unknown") {
    CHECK(summary(diagnose_file("clean.log")) == "ok log.clean job\n");
    CHECK(summary(diagnose("hello\n")) == "unknown log.silent job\n");
    CHECK(summary(diagnose("")) == "unknown log.silent job\n");
    CHECK(summary(diagnose("n1:1:2 [0] x.cc:1 NCCL WARN never seen before\n")) ==
          "unknown nccl.warning host n1\n");
}

TEST_CASE("diagnose: control characters and long lines stay out of the report") {
    const std::string line = "n1:1:2 [0] x.cc:1 NCCL WARN \x1b[31mToo many open files\x07" +
                             std::string(3 << 20, 'x') + "\n";
    const DiagnosisReport report = diagnose(line);
    REQUIRE(report.diagnoses[0].finding.code == "nccl.files");
    CHECK(report.diagnoses[0].excerpt.size() < 200);
    CHECK(report.diagnoses[0].excerpt.find('\x1b') == std::string::npos);
    CHECK(to_json(report)["findings"][0]["num_lines"] == 1);
}
