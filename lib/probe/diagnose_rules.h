// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is known about lines in logs of NCCL jobs, as data: phrases, true cause, remedy, evidence.

#include <array>
#include <span>
#include <string_view>

namespace longhaul::probe {

enum class RuleKind {
    kCause,    // a root cause: the job can not work
    kSlow,     // the job works, slower than the machine allows
    kSymptom,  // follows from something else; alone it explains nothing
};

struct Rule {
    std::string_view code;
    RuleKind kind;
    /// All of them, in this order, in one line. Unused ones are empty; the first is not.
    std::array<std::string_view, 3> phrases;
    std::string_view cause;
    std::string_view remedy;
    std::string_view source;  // where this is known from
};

/// Several rules may share a code: other words for the same cause.
std::span<const Rule> diagnose_rules();

}  // namespace longhaul::probe
