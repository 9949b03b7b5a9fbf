// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Internal to comm: a started call and the messages that it is made of.

#include <cstdint>
#include <vector>

#include "lib/comm/transport.h"

namespace longhaul::comm {

enum class CallKind : uint8_t {
    kAllReduce,
    kReduceScatter,
    kAllGather,
    kBroadcast,
    kAllToAllV,
    kSend,
    kRecv,
};
const char* name_of(CallKind kind);

/// Everything a call needs from start to finish. `in` and `out` are the same buffer where the call
/// works in place.
struct PendingCall {
    CallKind kind = CallKind::kAllReduce;
    Buffer in, out;
    Op op = Op::kSum;
    Tag tag;
    int peer = -1;  // member index: root, sender or receiver
    std::vector<int64_t> send_counts, recv_counts;

    uint64_t order = 0;     // of this rank's calls in the group, from 1: the Handle
    uint64_t sequence = 0;  // names its messages: all ranks (send, recv: both) count alike
    uint64_t ring_number = 0;
    std::vector<Request> sends;
};

/// Runs one call over a transport. `post()` sends what is known at the start; `finish()` receives,
/// reduces and sends the rest.
class CallRunner {
 public:
    CallRunner(Transport& transport, const std::vector<int>& members, int rank, uint32_t context,
               PendingCall& call, double timeout_s)
        : transport_(transport),
          members_(members),
          rank_(rank),
          context_(context),
          call_(call),
          timeout_s_(timeout_s) {}

    void post();
    void finish(std::span<std::byte> scratch);

    /// Largest message that is staged: bounds the scratch.
    static constexpr int64_t kPieceBytes = 64 << 10;
    /// Up to this size an all-reduce is one exchange of whole buffers: one round trip less.
    static constexpr int64_t kDirectBytes = 4096;

 private:
    int size() const { return static_cast<int>(members_.size()); }
    bool is_direct() const;
    /// The part of a reduction that member `index` works out.
    Buffer part_of(const Buffer& whole, int index) const;
    void post_send(int to, const Buffer& data, uint32_t piece);
    void receive(int from, const Buffer& data, uint32_t piece);
    void wait(Request request, int peer);
    void wait_sends();
    void post_parts();
    void reduce_own_part(const Buffer& own, const Buffer& out, std::span<std::byte> scratch);
    void finish_all_reduce(std::span<std::byte> scratch);
    void gather_parts(const Buffer& whole);
    void exchange();

    Transport& transport_;
    const std::vector<int>& members_;
    int rank_;
    uint32_t context_;
    PendingCall& call_;
    double timeout_s_;
};

}  // namespace longhaul::comm
