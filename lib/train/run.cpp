// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/run.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/comm/mpi_env.h"
#include "lib/train/exit_cause.h"
#include "lib/train/notice.h"
#include "lib/train/session.h"

namespace longhaul::train {

namespace {

std::string run_directory(const RunOptions& options, const TrainConfig& config) {
    if (!options.run_directory.empty()) return options.run_directory;
    const char* environment = std::getenv("LONGHAUL_RUN");
    if (environment != nullptr && *environment != '\0') return environment;
    return config.job.run.empty() ? "run" : config.job.run;
}

/// Writes the cause of a failure to exit.json before the error goes on to run_main.
template <class Body>
ExitCode recorded(Session& session, Body body) {
    try {
        return body();
    } catch (const std::exception& error) {
        const auto* known = dynamic_cast<const Error*>(&error);
        session.write_exit(known != nullptr ? known->exit_code() : ExitCode::kFailed,
                           cause_of(error),
                           known != nullptr ? known->describe() : std::string(error.what()));
        throw;
    }
}

ExitCode run_as_threads(Session& session, int num_ranks) {
    return recorded(session, [&] {
        std::mutex mutex;
        ExitCode code = ExitCode::kOk;
        comm::run_threads(num_ranks, [&](comm::World& world) {
            const ExitCode mine = run_rank(session, world);
            const std::lock_guard lock(mutex);
            code = mine;
        });
        return code;
    });
}

ExitCode run_under_mpi(comm::MpiEnv& mpi, Session& session) {
    const auto world = mpi.world();
    return recorded(session, [&] { return run_rank(session, *world); });
}

SessionOptions session_options(const RunOptions& options, const TrainConfig& config,
                               int ranks_of_process) {
    SessionOptions session;
    session.config = config;
    session.run_directory = run_directory(options, config);
    session.threads_per_rank =
        std::max(1, cli::resolve_threads(options.threads) / ranks_of_process);
    session.profile = options.profile;
    session.force = options.force;
    session.progress = options.progress;
    return session;
}

}  // namespace

int num_thread_ranks(const ParallelConfig& parallel) {
    int64_t ranks = 1;
    for (const int64_t size :
         {parallel.tp, parallel.pp, parallel.cp, parallel.dp_replicate, parallel.dp_shard}) {
        ranks *= std::max<int64_t>(size, 1);
    }
    constexpr int64_t kMostRanks = 4096;
    if (ranks > kMostRanks) throw UsageError(format("[parallel] asks for {} ranks", ranks));
    return static_cast<int>(ranks);
}

EngineOptions engine_options_of(const TrainConfig& config, int64_t data_vocab_size) {
    EngineOptions options;
    options.model = model_of(config, data_vocab_size);
    options.transformer.micro_batch = std::min(config.data.micro_batch, config.data.global_batch);
    options.transformer.seq_len = config.data.seq_len;
    options.transformer.compute = compute_dtype_of(config.precision);
    options.transformer.recompute = recompute_of(config.model);
    options.transformer.fixed_order_matmul = config.precision.fixed_order_matmul;
    options.mesh = mesh_sizes_of(config.parallel);
    options.policy = parallel::BucketPolicy::from_zero(config.parallel.zero);
    options.global_batch = config.data.global_batch;
    options.attends_document = config.data.samples.attention == "document";
    return options;
}

ExitCode run_training(const RunOptions& options) {
    TrainConfig config;
    load(config, options.config_file, options.assignments);
    if (options.print_config) {
        cli::print(print(config));
        return ExitCode::kOk;
    }
    check(config);
    const comm::LaunchInfo launch = comm::detect_launcher();
    const bool is_mpi = launch.launcher == comm::Launcher::kMpi;
    const int thread_ranks = num_thread_ranks(config.parallel);
    if (options.dry_run) {
        print_plan(config, is_mpi ? launch.world_size : thread_ranks, options.json);
        return ExitCode::kOk;
    }
    parallel::check_supported(parallel::BucketPolicy::from_zero(config.parallel.zero));
    const NoticeSignals signals;
    if (is_mpi) {
        comm::MpiEnv mpi;
        Session session(session_options(options, config, 1));
        return run_under_mpi(mpi, session);
    }
    Session session(session_options(options, config, thread_ranks));
    return run_as_threads(session, thread_ranks);
}

}  // namespace longhaul::train
