// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// dedup-minhash in stages over a work directory: sub-commands for job arrays, and all of them in
// one process or one MPI job.

#include <string>

#include "lib/base/exit_code.h"
#include "lib/cluster/environment.h"
#include "lib/dedup/options.h"
#include "lib/dedup/stages/plan.h"
#include "lib/dedup/stages/stage_file.h"

namespace longhaul::dedup {

/// Sub-command plan. @throws UsageError when WORK holds another plan
ExitCode run_plan(const Options& options, const std::string& work, const PlanRequest& request);

/// Sub-commands sign to cluster. @param given threads, memory and folders; the rest is the plan's
ExitCode run_stage(Stage stage, const std::string& work, const Options& given,
                   const cluster::TaskShare& task);

/// Sub-command apply. @param given also output, removal list, report
/// @param only_finish does no units; @throws UsageError naming what is not done
ExitCode run_apply(const std::string& work, const Options& given, const cluster::TaskShare& task,
                   bool only_finish);

/// `run --work`: plans, does what is not done of all stages, and the output. Under mpirun or srun
/// the ranks share the units of each stage: what they tell each other goes through WORK.
/// @param work "": a folder that is removed afterwards; then inputs may be streams
ExitCode run_staged(const Options& options, const std::string& work, const PlanRequest& request);

/// True when this process is one of several ranks of an MPI job.
bool is_one_of_ranks();
/// @param remedy what to do instead. @throws UsageError when it is: each would do all of the work
void refuse_several_ranks(const char* remedy);
/// What every rank would print alike, rank 0 alone prints.
void print_once(const std::string& text);

/// @throws UsageError when an input is a pipe. @param what needs files
void refuse_streams(const Inputs& inputs, const char* what);

}  // namespace longhaul::dedup
