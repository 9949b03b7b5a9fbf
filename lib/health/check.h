// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A check is a class: what it is called, whether it applies here, and how it judges a snapshot.
// Checks read nothing themselves; to add one: a class in checks_*.cpp, a line in all_checks(), a
// recording under tests/data/nvml with its expected findings.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/health/policy.h"
#include "lib/health/snapshot.h"
#include "lib/health/state.h"
#include "lib/record/finding.h"

namespace longhaul::health {

/// All that a check may look at.
struct World {
    const Snapshot& now;
    const State& before;
    const Policy& policy;
    Context context = Context::kNone;
    std::vector<int> job_gpus;  // of the job that this prolog or epilog is for
};

using Findings = std::vector<record::Finding>;

class Check {
 public:
    virtual ~Check() = default;
    /// "gpu.ecc": also the beginning of its findings' codes.
    virtual std::string_view key() const = 0;
    virtual std::string_view description() const = 0;
    /// Why it does not apply here; empty when it does.
    virtual std::string filter(const World& world) const = 0;
    /// Adds at least one finding; `ok` when nothing is wrong.
    virtual void run(const World& world, Findings& findings) const = 0;
};

using Checks = std::vector<std::unique_ptr<Check>>;
/// In the order in which they are run and listed.
Checks all_checks();

// Parts of all_checks(), one for each file.
void add_driver_checks(Checks& checks);
void add_memory_checks(Checks& checks);
void add_clock_checks(Checks& checks);
void add_link_checks(Checks& checks);
void add_use_checks(Checks& checks);
void add_log_checks(Checks& checks);
void add_node_checks(Checks& checks);

/// True when NVML runs and has GPUs to judge.
bool has_gpus(const World& world);
/// The filter of checks about GPUs.
std::string needs_gpus(const World& world);
/// True when `topic` of at least one GPU was read: else gpu.answer says what went wrong.
bool is_topic_read(const World& world, std::string_view topic);
/// "every one of 8 GPUs" as the subject of an ok finding.
std::string all_gpus(const World& world);
/// The rise of a GPU's counter since the last run of this boot, and its hours; nothing without one.
struct Rise {
    int64_t count = 0;
    double hours = 0;
};
std::optional<Rise> rise_of(const World& world, const Gpu& gpu, const char* counter);

}  // namespace longhaul::health
