// SPDX-License-Identifier: BSD-3-Clause
// A build without MPI: the constructor throws, so nothing else is ever called.
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/comm/raw_mpi.h"

namespace longhaul::comm {

struct RawMpi::Impl {};

RawMpi::RawMpi() {
    throw CommError("this build has no MPI (configure with -Dmpi=enabled)");
}
RawMpi::~RawMpi() = default;
std::string RawMpi::processor_name() {
    return "";
}
void RawMpi::barrier() {}
void RawMpi::all_reduce_sum(const float*, float*, size_t) {}
void RawMpi::all_gather(const float*, float*, size_t) {}
void RawMpi::reduce_scatter_sum(const float*, float*, size_t) {}
void RawMpi::all_to_all(const float*, float*, size_t) {}
void RawMpi::broadcast(float*, size_t, int) {}
void RawMpi::send_receive(const float*, float*, size_t, int, int) {}
void RawMpi::max(std::span<double>) {}
std::vector<std::string> RawMpi::gather(const std::string&) {
    return {};
}
bool RawMpi::send(std::span<const std::byte>, int, int, double) {
    return false;
}
bool RawMpi::receive(std::span<std::byte>, int, int, double) {
    return false;
}
void RawMpi::abort(ExitCode) {
    std::abort();
}

}  // namespace longhaul::comm
