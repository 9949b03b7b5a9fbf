// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Findings: what checks report (longhaul-findings.5). Exit code, drain reason and JSON are pure
// functions of the list.

#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/io/json_fwd.h"

namespace longhaul::record {

enum class Status { kOk, kNote, kWarn, kFail, kUnknown };

struct Finding {
    Status status = Status::kUnknown;
    std::string code;      // stable, "gpu.ecc.uncorrected"
    std::string subject;   // "GPU 0000:17:00.0", "host n2", a file
    std::string evidence;  // what was seen, with numbers
    std::string remedy;    // what to do
};

const char* status_name(Status status);
/// fail, unknown, warn, note, ok; those of one status keep their order.
std::vector<Finding> worst_first(std::vector<Finding> findings);

/// DESIGN section 2: any fail 1; else any unknown 3; else 0 (warn is 0, strict makes it 1).
ExitCode exit_code(const std::vector<Finding>& findings, bool strict = false);
/// `--exit-policy slurm`: fail 1, everything else 0, since Slurm drains on any non-zero prolog.
ExitCode exit_code_slurm(const std::vector<Finding>& findings);
/// One line for `scontrol update reason=`, the fails first; "" when nothing failed.
std::string drain_reason(const std::vector<Finding>& findings, const std::string& tool);
io::Json to_json(const std::vector<Finding>& findings);
/// "fail  gpu.ecc.uncorrected  GPU 0: 3 errors -> reset the GPU", one line each, worst first.
std::string to_text(const std::vector<Finding>& findings);

}  // namespace longhaul::record
