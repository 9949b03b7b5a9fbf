// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The last calls of one rank, kept for the moment when something hangs. Format of a dump:
// longhaul-run-directory.5, "ring/rank-00000.json".

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "lib/comm/comm.h"

namespace longhaul::comm {

enum class CallState : uint8_t { kPosted, kStarted, kDone };

struct CallRecord {
    uint64_t number = 0;    // counts all calls of the rank
    uint64_t sequence = 0;  // within its group
    std::string axis;
    const char* op = "";  // "all_reduce"
    Tag tag;
    uint64_t size_bytes = 0;
    int peer = -1;  // world rank: root, sender, receiver, or the one being waited for
    std::vector<int> group;
    CallState state = CallState::kPosted;
    double posted_s = 0, done_s = 0;  // Unix time
};

/// "all_reduce over dp_shard (step 12, block 3, grad, 4096 bytes)".
std::string describe(const CallRecord& call);

/// Thread-safe ring of the last kCapacity calls.
class CallRing {
 public:
    static constexpr size_t kCapacity = 64;

    CallRing(int rank, int world_size) : rank_(rank), world_size_(world_size) {}
    /// @return the number of the call, for the calls below.
    uint64_t post(CallRecord call);
    void set_started(uint64_t number, int waiting_for);
    void set_done(uint64_t number);
    /// Oldest first.
    std::vector<CallRecord> snapshot() const;
    /// Calls finished so far and bytes posted, for progress checks and the dry run.
    uint64_t num_done() const;
    uint64_t bytes_posted() const;
    /// One JSON object (see the man page).
    std::string to_json() const;

 private:
    CallRecord* find(uint64_t number);

    int rank_, world_size_;
    mutable std::mutex mutex_;
    std::vector<CallRecord> calls_;  // slot = number % kCapacity
    uint64_t next_ = 0, num_done_ = 0, bytes_ = 0;
};

}  // namespace longhaul::comm
