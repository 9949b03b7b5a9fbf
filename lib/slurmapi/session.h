// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
// The libslurm session of slurm-agent: start-up, the deadline of the whole process, and errors.
// This folder links libslurm (GPL-2.0-or-later) and is linked by slurm-agent alone.

#include <string>

#include "lib/base/error.h"

namespace longhaul::slurmapi {

/// What libslurm said: its errno and text. Exit code 1 when Slurm answered "no" (no such job, not
/// allowed, not pending), 3 when it could not be asked.
class SlurmError : public ClusterError {
 public:
    SlurmError(const std::string& what, int slurm_errno);
    int slurm_errno() const { return slurm_errno_; }

 private:
    int slurm_errno_;
};

/// Throws SlurmError with errno when `return_code` is not 0.
void check(int return_code, const char* what);

/// Ends the process with exit code 3 and a JSON error on stdout unless re-armed in time (0:
/// disarmed): libslurm calls can block for minutes.
void arm_deadline(unsigned seconds);

/// slurm_init() and slurm_fini(). Where slurm_init() ends the process (no configuration), it ends
/// with exit code 3 and a JSON error on stdout.
class Session {
 public:
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

}  // namespace longhaul::slurmapi
