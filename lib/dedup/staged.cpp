// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/staged.h"

#include <stdlib.h>

#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/index.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/staged_output.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

/// What the plan decides, and the rest as given.
Options effective_options(const Options& given, const Plan& plan) {
    Options options = given;
    const Options& planned = plan.options;
    options.parameters = planned.parameters;
    options.reader = planned.reader;
    options.on_bad_record = planned.on_bad_record;
    options.max_bad_records = planned.max_bad_records;
    options.max_candidates = planned.max_candidates;
    options.keep = planned.keep;
    options.against = planned.against;
    return options;
}

/// One process's share of the stages over one work directory.
class Crew {
 public:
    Crew(const Work& work, const Options& given, const cluster::TaskShare& task)
        : work_(work),
          options_(effective_options(given, work.plan())),
          task_(task),
          memory_(plan_memory(options_)),
          area_(options_.tmp_dir) {}

    /// Does the units of the share that are not done.
    void run(Stage stage) {
        std::vector<uint64_t> to_do;
        const std::vector<uint64_t> units = share(stage);
        for (const uint64_t unit : units) {
            if (!work_.is_done(stage, unit)) to_do.push_back(unit);
        }
        cli::Progress progress(stage_name(stage), reads_inputs(stage) ? bytes_of(stage, to_do) : 0,
                               options_.progress);
        const auto on_bytes = [&](uint64_t n) { progress.add(n); };
        if (stage == Stage::kGroup) {
            run_in_threads(to_do, on_bytes);
        } else {
            const UnitContext context{work_, options_, memory_, area_, on_bytes};
            for (const uint64_t unit : to_do) run_unit(stage, context, unit);
        }
        progress.finish();
        log::info("{}: {} of {} units done here, {} of them before", stage_name(stage),
                  units.size(), work_.num_units(stage), units.size() - to_do.size());
    }

    std::vector<uint64_t> share(Stage stage) const {
        std::vector<uint64_t> units;
        for (uint64_t unit = task_.index; unit < work_.num_units(stage); unit += task_.count) {
            units.push_back(unit);
        }
        return units;
    }
    const Options& options() const { return options_; }
    UnitContext context(std::function<void(uint64_t)> on_bytes) {
        return {work_, options_, memory_, area_, std::move(on_bytes)};
    }
    uint64_t bytes_of(Stage stage, const std::vector<uint64_t>& units) const {
        const uint64_t num_index_units = stage == Stage::kShingles ? work_.num_index_units() : 0;
        uint64_t total = 0;
        for (const uint64_t unit : units) {
            if (unit < num_index_units) continue;
            total += work_.unit_inputs(unit - num_index_units).total_bytes();
        }
        return total;
    }

 private:
    static bool reads_inputs(Stage stage) {
        return stage == Stage::kSign || stage == Stage::kShingles || stage == Stage::kApply;
    }

    static void run_unit(Stage stage, const UnitContext& context, uint64_t unit) {
        constexpr std::array kBodies{sign_unit, exact_unit, group_unit, shingles_unit,
                                     cluster_unit};
        with_context([&] { kBodies.at(static_cast<size_t>(stage) - 1)(context, unit); },
                     "{} unit {}", stage_name(stage), unit);
    }

    /// Parts of stage group share the memory; a part is sorted by one thread.
    void run_in_threads(const std::vector<uint64_t>& units,
                        const std::function<void(uint64_t)>& on_bytes) {
        const auto num_threads = std::max<size_t>(
            std::min(units.size(), static_cast<size_t>(std::max(options_.threads, 1))), 1);
        MemoryPlan memory = memory_;
        memory.sort_bytes /= num_threads;
        const UnitContext context{work_, options_, memory, area_, on_bytes};
        std::atomic<size_t> next{0};
        std::mutex mutex;
        std::exception_ptr error;
        const auto body = [&] {
            try {
                for (size_t i = next++; i < units.size(); i = next++) {
                    run_unit(Stage::kGroup, context, units[i]);
                }
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
                next = units.size();
            }
        };
        {
            std::vector<std::jthread> threads;
            for (size_t i = 1; i < num_threads; ++i) threads.emplace_back(body);
            body();
        }
        if (error) std::rethrow_exception(error);
    }

    const Work& work_;
    Options options_;
    cluster::TaskShare task_;
    MemoryPlan memory_;
    SpillArea area_;
};

constexpr std::array kStages{Stage::kSign, Stage::kExact, Stage::kGroup, Stage::kShingles,
                             Stage::kCluster};

void refuse_streams(const Inputs& inputs, const char* what) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_stream) continue;
        throw UsageError(format("{} can be read only once; {} needs files", inputs[i].name, what));
    }
}

}  // namespace

ExitCode run_plan(const Options& given, const std::string& work, const PlanRequest& request) {
    Options options = given;
    resolve_indexes(options);
    const Inputs inputs(options.inputs, options.reader.layout);
    refuse_streams(inputs, "plan");
    const Plan plan = make_plan(options, inputs, request);
    const bool is_new = write_plan(work, plan, options.is_forced);
    log::info("{}: {} inputs of {} in {} units, {} parts{}", plan_path(work).string(),
              plan.inputs.size(), human_bytes(inputs.total_bytes()), plan.num_units(),
              plan.num_splits * static_cast<uint64_t>(options.parameters.bands),
              is_new ? "" : "; it was there");
    return ExitCode::kOk;
}

ExitCode run_stage(Stage stage, const std::string& work_folder, const Options& given,
                   const cluster::TaskShare& task) {
    const Work work = Work::open(work_folder);
    Crew(work, given, task).run(stage);
    return ExitCode::kOk;
}

namespace {

/// @param ranks_wait called before the output is completed
void apply_share(Crew& crew, const cluster::TaskShare& task, bool only_finish, StageClock& clock,
                 const std::function<bool()>& may_finish) {
    cli::Progress progress("apply", crew.bytes_of(Stage::kApply, crew.share(Stage::kApply)),
                           crew.options().progress);
    const UnitContext context = crew.context([&](uint64_t n) { progress.add(n); });
    StagedOutput output(context);
    if (output.is_complete()) {
        log::info("{} is complete already", crew.options().output);
        return;
    }
    if (!only_finish) {
        if (task.count == 1) output.retract();
        output.apply(crew.share(Stage::kApply));
    }
    progress.finish();
    clock.end_stage("apply", 0);
    if (!may_finish()) return;
    const size_t num_missing = output.missing().size();
    if (num_missing == 0 || only_finish) {
        output.finish(clock);
    } else {
        log::info("apply: {} units are left to other tasks", num_missing);
    }
}

}  // namespace

ExitCode run_apply(const std::string& work_folder, const Options& given,
                   const cluster::TaskShare& task, bool only_finish) {
    const Work work = Work::open(work_folder);
    if (task.count > 1 && given.is_forced) {
        throw UsageError("--force would remove what other tasks write: remove the output instead");
    }
    if (task.count > 1 && given.output == "-") throw UsageError("-o - is for one task");
    Crew crew(work, given, task);
    StageClock clock;
    apply_share(crew, task, only_finish, clock, [] { return true; });
    return ExitCode::kOk;
}

namespace {

/// A work directory for one run. A killed run leaves it.
class TemporaryWork {
 public:
    explicit TemporaryWork(const std::string& tmp_dir) {
        std::string name = (SpillArea(tmp_dir).folder() / "longhaul-dedup-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw IoError(format("cannot create a folder {} (see --tmp-dir)", name));
        }
        path_ = name;
    }
    TemporaryWork(const TemporaryWork&) = delete;
    TemporaryWork& operator=(const TemporaryWork&) = delete;
    ~TemporaryWork() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

 private:
    std::string path_;
};

}  // namespace

ExitCode run_staged(const Options& given, const std::string& work_folder,
                    const PlanRequest& request) {
    Options options = given;
    resolve_indexes(options);
    Inputs inputs(options.inputs, options.reader.layout);
    // Before any work: what would be refused at the end.
    const Target target = resolve_target(options.output, inputs, !options.removal_list.empty());
    check_paths(options, inputs, target);
    std::optional<TemporaryWork> temporary;
    if (work_folder.empty()) {
        if (is_complete(options, inputs, target)) {
            log::info("{} is complete already", options.output);
            return ExitCode::kOk;
        }
        temporary.emplace(options.tmp_dir);
    } else {
        refuse_streams(inputs, "--work");
    }
    const std::string& folder = temporary ? temporary->path() : work_folder;
    Plan plan = make_plan(options, inputs, request);
    write_plan(folder, plan, false);
    const Work work(folder, std::move(plan), std::move(inputs));
    const cluster::TaskShare all;
    Crew crew(work, options, all);
    StageClock clock;
    for (const Stage stage : kStages) {
        crew.run(stage);
        clock.end_stage(stage_name(stage), 0);
    }
    apply_share(crew, all, false, clock, [] { return true; });
    return ExitCode::kOk;
}

}  // namespace longhaul::dedup
