// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// dedup-minhash run as one MPI job without a work directory: keys, groups, candidates and decisions
// go from rank to rank by messages; only inputs and output are files that all ranks see.

#include "lib/base/exit_code.h"
#include "lib/comm/comm.h"
#include "lib/dedup/options.h"

namespace longhaul::dedup {

/// Every rank calls it with the same options, but for threads, memory and temporary folder. The
/// output has the bytes of run().
/// @throws UsageError for what needs one process or a work directory: standard output, pipes,
///         --against. AgreedError on all ranks for what was found before the work.
ExitCode run_over_ranks(comm::Comm& comm, const Options& options);

/// The same in the ranks of this MPI job. An error on one ends all (comm::MpiEnv).
ExitCode run_over_mpi(const Options& options);

}  // namespace longhaul::dedup
