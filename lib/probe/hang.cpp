// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/hang.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/format.h"
#include "lib/base/units.h"
#include "lib/probe/log_tracker.h"

namespace longhaul::probe {

namespace {

using record::Finding;
using record::Status;

bool is_point_to_point(const RingCall& call) {
    return call.op == "send" || call.op == "recv";
}
bool is_same_group(const RingCall& a, const RingCall& b) {
    return a.axis == b.axis && a.group == b.group;
}

std::string describe(const RingCall& call) {
    std::string text = format("{} over {}, call {}", call.op, call.axis, call.sequence);
    if (call.step >= 0) text += format(", step {}", call.step);
    if (call.block >= 0) text += format(", block {}", call.block);
    if (!call.what.empty()) text += ", " + call.what;
    return text;
}

/// The call that a rank is in: the first one being waited for, else the first one posted.
const RingCall* open_call(const RingDump& dump) {
    const RingCall* posted = nullptr;
    for (const RingCall& call : dump.calls) {
        if (call.state == "started") return &call;
        if (call.state == "posted" && posted == nullptr) posted = &call;
    }
    return posted;
}

const RingCall* last_done(const RingDump& dump) {
    const RingCall* last = nullptr;
    for (const RingCall& call : dump.calls) {
        if (call.is_done()) last = &call;
    }
    return last;
}

/// True when the rank has entered that call of that group, or a later one.
bool has_entered(const RingDump& dump, const RingCall& call) {
    return std::any_of(dump.calls.begin(), dump.calls.end(), [&](const RingCall& own) {
        return is_same_group(own, call) && own.sequence >= call.sequence;
    });
}

/// The whole picture: dumps by rank, and who waits for whom.
class HangGraph {
 public:
    explicit HangGraph(const std::vector<RingDump>& dumps) {
        for (const RingDump& dump : dumps) by_rank_[dump.rank] = &dump;
        for (const RingDump& dump : dumps) {
            const RingCall* const call = open_call(dump);
            if (call == nullptr) continue;
            open_[dump.rank] = call;
            for (const int peer : waited_for(dump.rank, *call)) waiters_[peer].insert(dump.rank);
        }
    }

    bool is_waiting() const { return !open_.empty(); }
    const std::map<int, const RingCall*>& open() const { return open_; }
    const std::map<int, std::set<int>>& waiters() const { return waiters_; }
    const RingDump* dump_of(int rank) const {
        const auto found = by_rank_.find(rank);
        return found == by_rank_.end() ? nullptr : found->second;
    }
    /// Waits for nobody, although others wait for it.
    bool is_root(int rank) const {
        return std::none_of(waiters_.begin(), waiters_.end(),
                            [&](const auto& entry) { return entry.second.count(rank) > 0; });
    }

 private:
    std::vector<int> waited_for(int rank, const RingCall& call) const {
        std::vector<int> absent;
        if (is_point_to_point(call)) {
            if (call.peer >= 0 && call.peer != rank) absent.push_back(call.peer);
            return absent;
        }
        for (const int member : call.group) {
            if (member == rank) continue;
            const RingDump* const dump = dump_of(member);
            if (dump == nullptr || !has_entered(*dump, call)) absent.push_back(member);
        }
        return absent;
    }

    std::map<int, const RingDump*> by_rank_;
    std::map<int, const RingCall*> open_;   // by rank
    std::map<int, std::set<int>> waiters_;  // by the rank that is waited for
};

std::string rank_subject(const HangGraph& graph, int rank) {
    const RingDump* const dump = graph.dump_of(rank);
    return dump == nullptr ? format("rank {}", rank)
                           : format("rank {} (host {})", rank, dump->host);
}

Finding blame(const HangGraph& graph, int rank, const std::set<int>& waiters) {
    const int waiter = *waiters.begin();
    const RingCall& call = *graph.open().at(waiter);
    const double waited_s = graph.dump_of(waiter)->written_s - call.posted_s;
    std::string evidence =
        format("did not enter {}, which rank{} {} wait{} for since {}", describe(call),
               waiters.size() == 1 ? "" : "s", compact_list(waiters),
               waiters.size() == 1 ? "s" : "", human_duration(waited_s));
    const RingDump* const dump = graph.dump_of(rank);
    if (dump == nullptr) {
        return {Status::kFail, "hang.rank.dead", rank_subject(graph, rank),
                evidence + "; it wrote no dump: its process or host is gone or stopped",
                "look at the host of that rank; exclude it if it does not answer"};
    }
    const RingCall* const last = last_done(*dump);
    evidence += last == nullptr ? "; it finished no call before"
                                : format("; its last finished call: {}", describe(*last));
    return {Status::kFail, "hang.rank.absent", rank_subject(graph, rank), evidence,
            "it is busy outside communication: look at its stack (gdb -p), data loading, file "
            "system and GPU"};
}

/// The same call of the same group with another operation or size.
void add_differences(const std::vector<RingDump>& dumps, std::vector<Finding>& findings) {
    using Key = std::tuple<std::string, std::vector<int>, uint64_t>;
    std::map<Key, std::pair<int, const RingCall*>> first;
    for (const RingDump& dump : dumps) {
        for (const RingCall& call : dump.calls) {
            if (is_point_to_point(call)) continue;
            const auto [entry, is_new] = first.emplace(Key{call.axis, call.group, call.sequence},
                                                       std::pair(dump.rank, &call));
            const RingCall& other = *entry->second.second;
            const bool has_equal_sizes = call.op != "all_to_all_v";
            if (is_new || (call.op == other.op &&
                           (!has_equal_sizes || call.size_bytes == other.size_bytes))) {
                continue;
            }
            findings.push_back({Status::kFail, "hang.calls.differ",
                                format("ranks {} and {}", entry->second.first, dump.rank),
                                format("{} ({} bytes) against {} ({} bytes)", describe(other),
                                       other.size_bytes, describe(call), call.size_bytes),
                                "the program calls collectives in different order on these ranks"});
            return;  // everything after the first difference differs
        }
    }
}

Finding standing_still(const HangGraph& graph) {
    std::set<int> waiting, peers;
    for (const auto& [rank, call] : graph.open()) {
        waiting.insert(rank);
        if (call->peer >= 0 && call->peer != rank) peers.insert(call->peer);
    }
    return {
        Status::kUnknown, "hang.network",
        peers.empty() ? "ranks " + compact_list(waiting) : "data of ranks " + compact_list(peers),
        format("ranks {} wait in {} and all members have entered it", compact_list(waiting),
               describe(*graph.open().begin()->second)),
        "the network or a transport stands still: nccl-probe pairs and counters on these hosts"};
}

Finding circle(const HangGraph& graph) {
    std::set<int> ranks;
    for (const auto& [rank, call] : graph.open()) ranks.insert(rank);
    return {Status::kFail, "hang.circle", "ranks " + compact_list(ranks),
            format("each waits for another that waits too; rank {} in {}", *ranks.begin(),
                   describe(*graph.open().begin()->second)),
            "the program calls collectives in different order on these ranks"};
}

}  // namespace

std::vector<Finding> find_hang(const std::vector<RingDump>& dumps) {
    const HangGraph graph(dumps);
    if (!graph.is_waiting()) {
        return {{Status::kOk, "hang.none", format("{} ranks", dumps.size()),
                 "no rank waited in a call when the dumps were written", ""}};
    }
    std::vector<Finding> findings;
    add_differences(dumps, findings);
    bool have_root = false;
    for (const auto& [rank, waiters] : graph.waiters()) {
        if (!graph.is_root(rank)) continue;
        have_root = true;
        findings.push_back(blame(graph, rank, waiters));
    }
    if (findings.empty() && !have_root) {
        findings.push_back(graph.waiters().empty() ? standing_still(graph) : circle(graph));
    }
    return findings;
}

}  // namespace longhaul::probe
