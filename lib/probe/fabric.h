// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is measured: a set of ranks that can run collectives and exchange messages. MpiFabric is the
// MPI library; SoloFabric is one process, where a "collective" is a copy in memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
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
    /// @return false when the deadline passed first; the transport may then still use the buffer,
    /// which must be given to abandon(). send_value() and receive_value() do that.
    virtual bool send(std::span<const std::byte> bytes, int to, double deadline_s) = 0;
    virtual bool receive(std::span<std::byte> bytes, int from, double deadline_s) = 0;
    /// Keeps a buffer that a late message may still read or write until the fabric ends.
    void abandon(std::vector<uint64_t> buffer) { abandoned_.push_back(std::move(buffer)); }
    /// Ends all ranks at once.
    [[noreturn]] virtual void abort(ExitCode code) = 0;

 private:
    std::vector<std::vector<uint64_t>> abandoned_;
};

/// A plain value as one message.
template <class T>
bool send_value(Fabric& fabric, const T& value, int to, double deadline_s) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<uint64_t> storage((sizeof(T) + 7) / 8);
    std::memcpy(storage.data(), &value, sizeof(T));
    if (fabric.send(std::as_bytes(std::span(storage)), to, deadline_s)) return true;
    fabric.abandon(std::move(storage));
    return false;
}
template <class T>
bool receive_value(Fabric& fabric, T& value, int from, double deadline_s) {
    std::vector<uint64_t> storage((sizeof(T) + 7) / 8);
    if (!fabric.receive(std::as_writable_bytes(std::span(storage)), from, deadline_s)) {
        fabric.abandon(std::move(storage));
        return false;
    }
    std::memcpy(static_cast<void*>(&value), storage.data(), sizeof(T));
    return true;
}

/// MPI when a launcher started several ranks, else a SoloFabric. MPI_Init is only called in the
/// first case.
std::unique_ptr<Fabric> open_fabric();

/// Hosts and pids of all ranks, on rank 0; empty elsewhere.
std::vector<RankInfo> gather_ranks(Fabric& fabric);
/// This host's short name: SLURMD_NODENAME when Slurm says it, else gethostname().
std::string host_name();

}  // namespace longhaul::probe
