// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MPI's own collectives on raw buffers, for measuring the MPI library and the network under it
// (nccl-probe). Training uses Comm, whose collectives are ours. raw_mpi.cpp or raw_mpi_none.cpp.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"

namespace longhaul::comm {

/// A duplicate of MPI_COMM_WORLD. Lives inside the life of an MpiEnv. Counts are float elements,
/// at most 2^31 - 1 a call.
class RawMpi {
 public:
    /// @throws CommError without MPI.
    RawMpi();
    ~RawMpi();
    RawMpi(const RawMpi&) = delete;
    RawMpi& operator=(const RawMpi&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    static std::string processor_name();

    void barrier();
    // `in` is null for the in-place form of MPI (MPI_IN_PLACE; broadcast has only `data`).
    void all_reduce_sum(const float* in, float* out, size_t count);
    void all_gather(const float* in, float* out, size_t count_per_rank);
    void reduce_scatter_sum(const float* in, float* out, size_t count_per_rank);
    void all_to_all(const float* in, float* out, size_t count_per_rank);
    void broadcast(float* data, size_t count, int root);
    /// Sends to `to` while receiving as much from `from`; `in` null: in place.
    void send_receive(const float* in, float* out, size_t count, int to, int from);

    /// Element-wise maximum over all ranks, in place.
    void max(std::span<double> values);
    /// Texts of any length; @return those of all ranks on rank 0, nothing elsewhere.
    std::vector<std::string> gather(const std::string& text);

    /// Point to point, given up after `deadline_s`. @return false when the time ran out; the
    /// library may then still hold the buffer of a send, which must stay alive.
    bool send(std::span<const std::byte> bytes, int to, int tag, double deadline_s);
    bool receive(std::span<std::byte> bytes, int from, int tag, double deadline_s);

    /// Ends all ranks at once, for when one of them no longer answers.
    [[noreturn]] void abort(ExitCode code);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace longhaul::comm
