// SPDX-License-Identifier: BSD-3-Clause
// What is left on GPUs between jobs.
#include <algorithm>

#include "lib/base/format.h"
#include "lib/health/check.h"
#include "lib/health/gpu_keys.h"

namespace longhaul::health {

namespace {

using record::Status;

class Leftover : public Check {
 public:
    std::string_view key() const override { return "gpu.leftover"; }
    std::string_view description() const override {
        return "no process or memory of another job is left on this job's GPUs";
    }
    /// Only GPUs of the job may be judged: others may be in use on a shared node.
    std::string filter(const World& world) const override {
        if (world.context != Context::kProlog && world.context != Context::kEpilog) {
            return "only in prolog and epilog";
        }
        if (world.job_gpus.empty()) return "SLURM_JOB_GPUS does not say which GPUs the job has";
        return needs_gpus(world);
    }

    void run(const World& world, Findings& findings) const override {
        const size_t before = findings.size();
        for (const Gpu& gpu : world.now.gpus) {
            const auto& mine = world.job_gpus;
            if (std::find(mine.begin(), mine.end(), gpu.index) == mine.end()) continue;
            const int64_t processes = gpu.number(key::kProcesses).value_or(0);
            const int64_t used_mib = gpu.number(key::kMemoryUsed).value_or(0);
            if (processes > 0) {
                findings.push_back(
                    {Status::kFail, "gpu.leftover.process", gpu.subject(),
                     format("{} processes are still on it (pid {})", processes,
                            gpu.text(key::kProcessIds)),
                     "kill them; Slurm's cgroups (ProctrackType=proctrack/cgroup) prevent it"});
            } else if (used_mib > world.policy.leftover_memory_mib) {
                findings.push_back({Status::kWarn, "gpu.leftover.memory", gpu.subject(),
                                    format("{} MiB in use without a process", used_mib),
                                    "reset the GPU when idle"});
            }
        }
        if (findings.size() == before) {
            findings.push_back({Status::kOk, "gpu.leftover",
                                format("{} GPUs", world.job_gpus.size()), "nothing left", ""});
        }
    }
};

}  // namespace

void add_use_checks(Checks& checks) {
    checks.push_back(std::make_unique<Leftover>());
}

}  // namespace longhaul::health
