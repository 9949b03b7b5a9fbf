// SPDX-License-Identifier: BSD-3-Clause
// All stages in one process, or in the ranks of one MPI job.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/cli/progress.h"
#include "lib/comm/mpi_env.h"
#include "lib/dedup/check_paths.h"
#include "lib/dedup/manifest.h"
#include "lib/dedup/stages/crew.h"
#include "lib/dedup/stages/index.h"
#include "lib/dedup/stages/staged.h"
#include "lib/dedup/stages/staged_output.h"
#include "lib/dedup/stages/temporary_work.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

constexpr std::array kStages{Stage::kSign, Stage::kExact, Stage::kGroup, Stage::kShingles,
                             Stage::kCluster};

/// The processes that share the units of one run.
struct Ranks {
    cluster::TaskShare share;
    std::function<void()> wait = [] {};  // until all ranks are here
    bool is_first() const { return share.index == 0; }
};

/// Before any work: what would be refused at the end.
Target check_output(const Options& options, const Inputs& inputs) {
    const Target target = resolve_target(options.output, inputs, !options.removal_list.empty());
    check_paths(options, inputs, target);
    return target;
}

void write_output(Crew& crew, const Ranks& ranks, StageClock& clock) {
    const std::vector<uint64_t> units = crew.units(Stage::kApply);
    cli::Progress progress("apply", crew.bytes_of(Stage::kApply, units), crew.options().progress);
    const UnitContext context = crew.context([&](uint64_t n) { progress.add(n); });
    StagedOutput output(context);
    const bool is_complete = output.is_complete();
    ranks.wait();
    if (is_complete) {
        log::info("{} is complete already", crew.options().output);
        return;
    }
    if (ranks.is_first()) output.retract();
    ranks.wait();
    output.apply(units);
    progress.finish();
    ranks.wait();
    clock.end_stage("apply", 0);
    if (ranks.is_first()) output.finish(clock);
}

void do_stages(const Work& work, const Options& options, const Ranks& ranks) {
    Crew crew(work, options, ranks.share);
    StageClock clock;
    for (const Stage stage : kStages) {
        crew.run(stage);
        ranks.wait();
        clock.end_stage(stage_name(stage), 0);
    }
    write_output(crew, ranks, clock);
}

ExitCode run_in_temporary(const Options& given) {
    Options options = given;
    resolve_indexes(options);
    Inputs inputs(options.inputs, options.reader);
    const Target target = check_output(options, inputs);
    if (is_complete(options, inputs, target)) {
        log::info("{} is complete already", options.output);
        return ExitCode::kOk;
    }
    const TemporaryWork folder(options.tmp_dir);
    Plan plan = make_plan(options, inputs, {});
    write_plan(folder.path(), plan, false);
    const Work work(folder.path(), std::move(plan), std::move(inputs));
    do_stages(work, options, {});
    return ExitCode::kOk;
}

ExitCode run_in_work(const Options& given, const std::string& folder, const PlanRequest& request,
                     const Ranks& ranks) {
    // One rank looks and plans, so that what it refuses is said once.
    if (ranks.is_first()) {
        Options options = given;
        resolve_indexes(options);
        const Inputs inputs(options.inputs, options.reader);
        refuse_streams(inputs, "--work");
        refuse_inside_inputs("--work", folder, options);
        const Target target = check_output(options, inputs);
        if (ranks.share.count > 1 && target == Target::kStdout) {
            throw UsageError("several ranks cannot write one stream; give -o OUT");
        }
        write_plan(folder, make_plan(options, inputs, request), false);
    }
    ranks.wait();
    do_stages(Work::open(folder), given, ranks);
    return ExitCode::kOk;
}

/// The ranks of this MPI job share the units. An error on one ends all (comm::MpiEnv).
ExitCode run_under_mpi(const Options& options, const std::string& folder,
                       const PlanRequest& request) {
    comm::MpiEnv mpi;
    const std::unique_ptr<comm::World> world = mpi.world();
    world->set_timeout(0);  // a rank may have hours of work more than another
    const comm::Tag tag{-1, -1, "end of a stage"};
    const Ranks ranks{{static_cast<uint64_t>(mpi.rank()), static_cast<uint64_t>(mpi.size())},
                      [&] { world->comm().barrier(tag); }};
    if (!ranks.is_first()) log::set_level(log::Level::kWarn);
    return run_in_work(options, folder, request, ranks);
}

}  // namespace

ExitCode run_staged(const Options& options, const std::string& work, const PlanRequest& request) {
    if (work.empty()) return run_in_temporary(options);
    return is_one_of_ranks() ? run_under_mpi(options, work, request)
                             : run_in_work(options, work, request, {});
}

bool is_one_of_ranks() {
    const comm::LaunchInfo launch = comm::detect_launcher();
    return launch.launcher == comm::Launcher::kMpi && launch.world_size > 1;
}

void refuse_several_ranks(const char* remedy) {
    if (!is_one_of_ranks()) return;
    throw UsageError(
        format("{} ranks would all do the same; {}", comm::detect_launcher().world_size, remedy));
}

void print_once(const std::string& text) {
    if (!is_one_of_ranks()) {
        cli::print(text);
        return;
    }
    const comm::MpiEnv mpi;
    if (mpi.rank() == 0) cli::print(text);
}

}  // namespace longhaul::dedup
