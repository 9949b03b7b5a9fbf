// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/staged.h"

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/stages/crew.h"
#include "lib/dedup/stages/index.h"
#include "lib/dedup/stages/staged_output.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

void refuse_streams(const Inputs& inputs, const char* what) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_stream) continue;
        throw UsageError(format("{} can be read only once; {} needs files", inputs[i].name, what));
    }
}

ExitCode run_plan(const Options& given, const std::string& work, const PlanRequest& request) {
    Options options = given;
    resolve_indexes(options);
    const Inputs inputs(options.inputs, options.reader);
    refuse_streams(inputs, "plan");
    refuse_inside_inputs("WORK", work, options);
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

ExitCode run_apply(const std::string& work_folder, const Options& given,
                   const cluster::TaskShare& task, bool only_finish) {
    if (task.count > 1 && given.is_forced) {
        throw UsageError("--force would remove what other tasks write: remove the output instead");
    }
    if (task.count > 1 && given.output == "-") throw UsageError("-o - is for one task");
    const Work work = Work::open(work_folder);
    Crew crew(work, given, task);
    StageClock clock;
    cli::Progress progress("apply", crew.bytes_of(Stage::kApply, crew.units(Stage::kApply)),
                           given.progress);
    const UnitContext context = crew.context([&](uint64_t n) { progress.add(n); });
    StagedOutput output(context);
    if (output.is_complete()) {
        log::info("{} is complete already", given.output);
        return ExitCode::kOk;
    }
    if (!only_finish) {
        if (task.count == 1) output.retract();
        output.apply(crew.units(Stage::kApply));
    }
    progress.finish();
    clock.end_stage("apply", 0);
    const size_t num_missing = output.missing().size();
    if (num_missing == 0 || only_finish) {
        output.finish(clock);
    } else {
        log::info("apply: {} units are left to other tasks", num_missing);
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::dedup
