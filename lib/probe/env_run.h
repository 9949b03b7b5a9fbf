// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// nccl-probe env: gathers the variables of a file, or of all ranks and NCCL's own configuration
// files, and judges them.

#include <optional>
#include <string>
#include <vector>

#include "lib/record/finding.h"

namespace longhaul::probe {

struct EnvOptions {
    std::string input;           // NAME=value lines; empty: this process and the other ranks
    std::string sys_root = "/";  // where devices, /etc/nccl.conf and files are looked up
};

/// Collective when started by a launcher. @return nothing on ranks other than 0.
std::optional<std::vector<record::Finding>> run_env(const EnvOptions& options);

}  // namespace longhaul::probe
