// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Communication of one group of ranks (one axis of the mesh). All collectives are written once,
// over a Transport (thread, mpi, record), and reduce in rank order by our own code: the same layout
// gives the same bits on every transport. Every call carries a Tag and stays in a ring that is
// dumped when something hangs.
//
// Rules: all ranks of a group start the same collectives in the same order. A call started returns
// at once; wait() finishes it and the collectives started before it. Buffers may not be touched in
// between. Sends and receives match in order per pair and are waited for one by one.
// A Comm belongs to the thread of its rank.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/tensor/alloc.h"

namespace longhaul::comm {

using tensor::Buffer;

/// Another rank did not come to a call in time: dead, hung, or elsewhere.
class TimeoutError : public CommError {
 public:
    using CommError::CommError;
};

/// A failure that all ranks know: each of them throws this, alike.
class AgreedError : public CommError {
 public:
    using CommError::CommError;
};

enum class Op : uint8_t { kSum, kMax, kMin };

/// What a call is for; shown in ring dumps and time-out messages. `what` must outlive the call
/// (a literal).
struct Tag {
    int64_t step = -1;  // -1: outside the loop
    int block = -1;     // bucket or layer; -1: none
    const char* what = "";
};

/// A started call. Must be given to Comm::wait() exactly once.
class [[nodiscard]] Handle {
 public:
    Handle() = default;

 private:
    friend class Comm;
    explicit Handle(uint64_t order) : order_(order) {}
    uint64_t order_ = 0;
};

class Transport;  // transport.h
struct PendingCall;

class Comm {
 public:
    ~Comm();
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;

    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    /// Rank in the world of member `index`.
    int world_rank(int index) const { return members_[static_cast<size_t>(index)]; }
    /// Name of the mesh axis, "world" for all ranks.
    const std::string& axis() const { return axis_; }
    /// True on the dry-run transport: no data moves, buffers may be null.
    bool is_recording() const;

    /// A communicator of `members` (world ranks, ascending, with this one among them). Local: no
    /// call is made; every member must make the same one, in the same order.
    std::unique_ptr<Comm> subgroup(const std::string& axis, const std::vector<int>& members);

    // Started calls. Types: f32, f64, bf16 (summed in fp32, rounded once), i32, i64.
    /// Every rank gets the reduction of all `data`, in place.
    Handle start_all_reduce(Buffer data, Op op, Tag tag);
    /// Rank r gets the reduction of part r of all `in`; in.count = size() * out.count. `out` may be
    /// part rank() of `in`.
    Handle start_reduce_scatter(Buffer in, Buffer out, Op op, Tag tag);
    /// out = the `in` of all ranks one after the other; `in` may be part rank() of `out`.
    Handle start_all_gather(Buffer in, Buffer out, Tag tag);
    Handle start_broadcast(Buffer data, int root, Tag tag);
    /// send_counts[r] elements go to rank r (packed in rank order); recv_counts must match.
    Handle start_all_to_all_v(Buffer in, std::span<const int64_t> send_counts, Buffer out,
                              std::span<const int64_t> recv_counts, Tag tag);
    Handle start_send(Buffer data, int to, Tag tag);
    Handle start_recv(Buffer data, int from, Tag tag);
    /// @throws CommError when a rank failed (with its cause) or the time-out passed (with the
    /// call).
    void wait(Handle handle);

    // The same, finished on return.
    void all_reduce(Buffer data, Op op, Tag tag) { wait(start_all_reduce(data, op, tag)); }
    void reduce_scatter(Buffer in, Buffer out, Op op, Tag tag) {
        wait(start_reduce_scatter(in, out, op, tag));
    }
    void all_gather(Buffer in, Buffer out, Tag tag) { wait(start_all_gather(in, out, tag)); }
    void broadcast(Buffer data, int root, Tag tag) { wait(start_broadcast(data, root, tag)); }
    void send(Buffer data, int to, Tag tag) { wait(start_send(data, to, tag)); }
    void recv(Buffer data, int from, Tag tag) { wait(start_recv(data, from, tag)); }
    void all_reduce(std::span<double> values, Op op, Tag tag);
    /// Texts or bytes of any length; @return those of all ranks on `root`, nothing elsewhere.
    std::vector<std::string> gather_bytes(const std::string& bytes, int root, Tag tag);
    std::string broadcast_bytes(const std::string& bytes, int root, Tag tag);
    /// Waits for all ranks. @param timeout_s 0: the world's time-out.
    void barrier(Tag tag, double timeout_s = 0);

    /// Bytes of staging that a group of `size` ranks needs.
    static int64_t scratch_bytes(int size);
    /// Staging from an Alloc (class kComm); without it the first call allocates its own.
    void use_scratch(Buffer scratch) { scratch_ = scratch; }

 private:
    friend class World;
    Comm(Transport& transport, std::string axis, std::vector<int> members, uint32_t context);

    std::span<std::byte> scratch();
    Handle start(std::unique_ptr<PendingCall> call);
    uint64_t next_sequence(const PendingCall& call);
    void finish(PendingCall& call);

    Transport& transport_;
    std::string axis_;
    std::vector<int> members_;
    int rank_ = 0;
    uint32_t context_ = 0;  // tells apart the messages of different groups
    uint64_t num_started_ = 0;
    uint64_t num_collectives_ = 0;
    std::vector<uint64_t> num_sent_, num_received_;  // per member, by start_send and start_recv
    std::deque<std::unique_ptr<PendingCall>> pending_;
    Buffer scratch_;
    std::vector<std::byte> own_scratch_;
};

/// Foreseeable failures are agreed before a collective: if `problem` is non-empty on any rank,
/// every rank throws AgreedError "rank R: problem" (lowest rank first) with the highest of their
/// exit codes.
void agree(Comm& comm, const std::string& problem, ExitCode code = ExitCode::kFailed);
/// Runs `body` on every rank and agrees on its errors: all ranks throw, or none does.
void agree_on(Comm& comm, const std::function<void()>& body);

}  // namespace longhaul::comm
