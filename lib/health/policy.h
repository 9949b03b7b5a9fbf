// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a site expects of its nodes and how strict it is: gpu-health.toml, with defaults that hold
// for data-centre GPUs.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/config/schema.h"
#include "lib/record/finding.h"

namespace longhaul::health {

enum class Context { kNone, kProlog, kEpilog, kHealthcheck, kJob };
/// @throws UsageError
Context context_from_name(const std::string& name);

struct Policy {
    // [expect]
    int64_t gpus = -1;          // -1: not said
    std::string gpus_source;    // where the number comes from, for messages
    std::string model;          // part of the name that all GPUs must have; empty: any
    std::string driver;         // beginning of the driver's version; empty: any
    int64_t nvlink_links = -1;  // active links per GPU; -1: as the GPU's peers
    // [limits]
    int64_t temperature_margin_c = 5;  // below the slowdown threshold
    double corrected_per_hour = 1000;  // ECC errors per GPU
    double pcie_replays_per_hour = 600;
    double nvlink_errors_per_hour = 600;
    int64_t disk_free_mib = 1024;
    double memory_available_percent = 5;
    int64_t leftover_memory_mib = 1024;
    std::vector<std::string> disks{"/", "/tmp", "/dev/shm"};
    // [status]: codes, or beginnings of codes that end in "*"
    std::vector<std::string> note, warn, fail;
};

/// Declares the keys on `schema`, bound to `policy`.
void declare(config::Schema& schema, Policy& policy);

/// Number of GPUs in Slurm's words: "gpu:8", "gpu:h100:4(S:0-1),gpu:a100:4"; -1 when it names none.
/// @throws UsageError for a count that is no number
int64_t gpus_in_gres(const std::string& gres);

/// Fills `gpus` from the environment when nothing else said it: SLURM_GPUS_ON_NODE, SLURM_JOB_GPUS
/// (at least the highest index of the job) in prolog and epilog.
void expect_from_environment(Policy& policy, Context context);
/// Indices of the job's GPUs by SLURM_JOB_GPUS; empty when it is not set.
std::vector<int> job_gpus();

/// Applies [status]: the last of note, warn, fail that names the code wins over the check's own.
/// An unknown can be made a failure, never a note.
void apply_status(const Policy& policy, std::vector<record::Finding>& findings);

}  // namespace longhaul::health
