// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads logs of NCCL jobs of any size and names causes before consequences.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/io/stream.h"
#include "lib/probe/diagnose_rules.h"
#include "lib/probe/log_tracker.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

/// A finding with the place where it was first seen.
struct Diagnosis {
    record::Finding finding;
    RuleKind kind = RuleKind::kCause;
    std::string cause;
    std::string source;      // where the rule is known from
    uint64_t num_lines = 0;  // lines that say so; 0: concluded from many lines
    std::string file;        // of the first such line
    uint64_t line = 0;       // its number, from 1
    std::string excerpt;     // its text, cut and printable
    std::set<std::string> hosts;
    std::set<int> ranks;
};

struct DiagnosisReport {
    std::vector<std::string> files;
    uint64_t num_lines = 0;
    uint64_t num_nccl_lines = 0;
    std::vector<Diagnosis> diagnoses;  // causes, then slowness, then consequences

    std::vector<record::Finding> findings() const;
};

class LogDiagnoser {
 public:
    LogDiagnoser();
    ~LogDiagnoser();
    LogDiagnoser(const LogDiagnoser&) = delete;
    LogDiagnoser& operator=(const LogDiagnoser&) = delete;

    /// Reads to the end. May be called for several logs of one job.
    void read(io::InputStream& input);
    DiagnosisReport report() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

std::string to_text(const DiagnosisReport& report);
io::Json to_json(const DiagnosisReport& report);

}  // namespace longhaul::probe
