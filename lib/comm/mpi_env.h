// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MPI_Init and MPI_Finalize as an object: the first one in main, so that communicators die before
// it. mpi_env.cpp or, without MPI, mpi_env_none.cpp, which says so and how to get it.

#include <memory>

#include "lib/comm/world.h"

namespace longhaul::comm {

/// While it lives, a fatal error of this process ends all ranks (MPI_Abort with the exit code).
class MpiEnv {
 public:
    /// @throws CommError when Longhaul was built without MPI, or MPI cannot start.
    MpiEnv();
    ~MpiEnv();
    MpiEnv(const MpiEnv&) = delete;
    MpiEnv& operator=(const MpiEnv&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    /// A duplicate of MPI_COMM_WORLD behind a Transport. Must die before this MpiEnv.
    std::unique_ptr<World> world();

 private:
    int rank_ = 0;
    int size_ = 1;
};

/// True when this build has MPI.
bool have_mpi();

}  // namespace longhaul::comm
