// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
// The calls whose signature differs between Slurm releases 22.05 .. 26.05, in one form.

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <cstdint>

namespace longhaul::slurmapi {

/// slurm_load_job() takes a step id instead of a number from 26.05 on.
inline int load_job(job_info_msg_t** message, uint32_t job_id) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;
    step.job_id = job_id;
    return slurm_load_job(message, step, SHOW_DETAIL);
#else
    return slurm_load_job(message, job_id, SHOW_DETAIL);
#endif
}

}  // namespace longhaul::slurmapi
