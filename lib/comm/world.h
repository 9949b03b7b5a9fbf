// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the ranks of a run come to be: threads of this process, MPI processes, or a recording of one
// rank for the dry run. Without a launcher train-run uses threads and never calls MPI_Init.

#include <functional>
#include <memory>
#include <string>

#include "lib/comm/call_ring.h"
#include "lib/comm/comm.h"

namespace longhaul::comm {

/// A rank's transport and the communicator of all ranks.
class World {
 public:
    explicit World(std::unique_ptr<Transport> transport);
    ~World();
    Comm& comm() { return *comm_; }
    /// The last calls of this rank; thread-safe, so that a watchdog can dump it.
    CallRing& ring();
    /// Longest wait inside one call; 0 = for ever. Default 600 s.
    void set_timeout(double seconds);

 private:
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Comm> comm_;
};

/// What started this process.
enum class Launcher { kNone, kMpi };
struct LaunchInfo {
    Launcher launcher = Launcher::kNone;
    int world_size = 1;
    std::string evidence;  // the variable that says so: "OMPI_COMM_WORLD_SIZE=4"
};
/// Reads OMPI_*, PMIX_RANK, PMI_SIZE and SLURM_* of the environment; calls nothing.
/// @throws UsageError under `srun -n 2` or more without PMI: names the remedy (--mpi=pmix).
LaunchInfo detect_launcher();

/// Runs `body` on `num_ranks` threads of this process. When one rank throws, the others are woken
/// out of their calls, and its error is thrown here with "rank R" as context (an AgreedError as it
/// is).
void run_threads(int num_ranks, const std::function<void(World&)>& body);

/// One rank alone: every call returns at once. For tools that need a Comm but no ranks.
std::unique_ptr<World> solo_world();

/// A world that moves nothing and counts what would be sent (dry run).
std::unique_ptr<World> record_world(int world_size, int rank);

}  // namespace longhaul::comm
