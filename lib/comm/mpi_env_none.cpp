// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"
#include "lib/comm/mpi_env.h"

namespace longhaul::comm {

MpiEnv::MpiEnv() {
    throw CommError(
        "this build of Longhaul has no MPI (meson configure -Dmpi=enabled, Debian package "
        "libopenmpi-dev); without a launcher ranks are threads",
        ExitCode::kUsage);
}

MpiEnv::~MpiEnv() = default;

std::unique_ptr<World> MpiEnv::world() {
    return nullptr;
}

bool have_mpi() {
    return false;
}

}  // namespace longhaul::comm
