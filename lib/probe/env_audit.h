// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Known pitfalls in NCCL_*, UCX_*, OMPI_* and CUDA_* variables. NCCL ignores a misspelt variable
// silently, so every NCCL_ name is compared with those that exist.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/record/finding.h"

namespace longhaul::probe {

using Environment = std::vector<std::pair<std::string, std::string>>;  // name, value

/// What the machine has, to judge names in the variables; empty lists mean "not known".
struct EnvironmentFacts {
    std::vector<std::string> interfaces;                // of /sys/class/net
    std::vector<std::string> hcas;                      // of /sys/class/infiniband
    bool have_sys = false;                              // the lists above were read
    bool (*file_exists)(const std::string&) = nullptr;  // null: do not look
};

/// Findings by variable, in the order given; one `ok` when nothing is wrong.
std::vector<record::Finding> audit_environment(const Environment& environment,
                                               const EnvironmentFacts& facts);

/// "NAME=value" lines as env(1) prints them or /etc/nccl.conf holds them; '#' begins a comment.
/// Lines without "=" are passed over (values with newlines).
Environment parse_environment(std::string_view text);
/// The variables of this process that matter here.
Environment own_environment();
/// True for the names that audit_environment() judges.
bool is_relevant_variable(std::string_view name);

/// Variables whose values differ between ranks, which NCCL assumes equal. `by_rank[r]` is the
/// relevant environment of rank r, `names[r]` how to call it ("n1 rank 3").
std::vector<record::Finding> compare_environments(const std::vector<Environment>& by_rank,
                                                  const std::vector<std::string>& names);

}  // namespace longhaul::probe
