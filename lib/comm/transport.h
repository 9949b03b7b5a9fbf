// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a backend of Comm provides: messages between two ranks of the world. A send is complete when
// its buffer may be used again, which may be only after the receive (unbuffered).

#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/comm/call_ring.h"

namespace longhaul::comm {

/// Names a message between two ranks: group, call within the group, piece of the call.
struct MessageKey {
    uint32_t context = 0;
    uint64_t sequence = 0;
    uint32_t piece = 0;
    auto operator<=>(const MessageKey&) const = default;
};

/// Pieces with a meaning of their own; those below are parts of a long message.
inline constexpr uint32_t kFirstSpecialPiece = 1u << 20;
inline constexpr uint32_t kGatherPiece = kFirstSpecialPiece;  // second phase of an all-reduce
inline constexpr uint32_t kPointToPointPiece = kFirstSpecialPiece + 1;

using Request = uint64_t;

class Transport {
 public:
    Transport(int rank, int world_size) : ring_(rank, world_size), rank_(rank), size_(world_size) {}
    virtual ~Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    CallRing& ring() { return ring_; }
    double timeout_s() const { return timeout_s_; }
    void set_timeout(double seconds) { timeout_s_ = seconds; }
    /// A number for a new group; equal on all ranks that make the same groups in the same order.
    uint32_t next_context() { return next_context_++; }

    /// True when no data moves (dry run).
    virtual bool is_recording() const { return false; }
    virtual Request post_send(int to, std::span<const std::byte> bytes, MessageKey key) = 0;
    virtual Request post_recv(int from, std::span<std::byte> bytes, MessageKey key) = 0;
    /// Blocks until the message has passed. @return false when `timeout_s` (0: for ever) ran out.
    /// @throws CommError when the world has failed, or the peer sent another size.
    virtual bool wait(Request request, double timeout_s) = 0;

 private:
    CallRing ring_;
    int rank_, size_;
    double timeout_s_ = 600;
    uint32_t next_context_ = 1;
};

}  // namespace longhaul::comm
