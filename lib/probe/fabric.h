// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is measured: a set of ranks that can run collectives and exchange messages. MpiFabric is the
// MPI library; SoloFabric is one process, where a "collective" is a copy in memory.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/probe/bandwidth.h"

namespace longhaul::probe {

/// One rank as it is shown in results.
struct RankInfo {
    int rank = 0;
    std::string host;
    int64_t pid = 0;
};

class Fabric {
 public:
    virtual ~Fabric() = default;
    virtual const char* name() const = 0;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    virtual void barrier() = 0;
    /// One collective of `count` float elements per rank. Buffers hold `count` elements, or
    /// count * size() where the collective splits or joins parts by rank. `in` is null for the
    /// in-place form, where the input lies in `out` as NCCL and MPI define it. Root is rank 0.
    virtual void run(Collective collective, const float* in, float* out, size_t count) = 0;
    /// Element-wise maximum over all ranks.
    virtual void max(std::span<double> values) = 0;
    /// Texts of all ranks on rank 0, nothing elsewhere.
    virtual std::vector<std::string> gather(const std::string& text) = 0;
    virtual bool send(std::span<const std::byte> bytes, int to, double deadline_s) = 0;
    virtual bool receive(std::span<std::byte> bytes, int from, double deadline_s) = 0;
    /// Ends all ranks at once.
    [[noreturn]] virtual void abort(ExitCode code) = 0;
};

/// MPI when a launcher started several ranks, else a SoloFabric. MPI_Init is only called in the
/// first case.
std::unique_ptr<Fabric> open_fabric();

/// Hosts and pids of all ranks, on rank 0; empty elsewhere.
std::vector<RankInfo> gather_ranks(Fabric& fabric);
/// This host's short name: SLURMD_NODENAME when Slurm says it, else gethostname().
std::string host_name();

}  // namespace longhaul::probe
