// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Facts that no single line tells: communicators that never completed, silent fallback to TCP,
// several NCCL versions, ranks at different collectives. Fed line by line, memory bounded.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/probe/diagnose_rules.h"
#include "lib/probe/env_audit.h"
#include "lib/probe/log_line.h"

namespace longhaul::probe {

/// A conclusion of the tracker, in the words of a Rule.
struct TrackedFact {
    std::string code;
    RuleKind kind = RuleKind::kSlow;
    std::string subject;
    std::string evidence;
    std::string remedy;
};

class LogTracker {
 public:
    void add(const LogLine& line, std::string_view raw);
    std::vector<TrackedFact> facts() const;
    /// Variables that NCCL said it took from the environment.
    Environment environment() const;
    /// -1 when this process named no rank.
    int rank_of(const LogLine& line) const;

 private:
    struct Communicator {
        int num_ranks = 0;
        std::set<int> started, completed;
    };
    struct Transports {
        uint64_t socket = 0, ib = 0, ib_without_gdr = 0;
    };
    struct Timeout {
        int64_t sequence = -1;
        std::string operation;
    };

    void add_init(const LogLine& line);
    void add_channel(const LogLine& line);
    void add_environment(const LogLine& line);
    void add_watchdog(const LogLine& line, std::string_view raw);
    void add_init_facts(std::vector<TrackedFact>& facts) const;
    void add_transport_facts(std::vector<TrackedFact>& facts) const;
    void add_watchdog_facts(std::vector<TrackedFact>& facts) const;

    std::map<std::string, Communicator> communicators_;
    std::map<std::pair<std::string, int64_t>, int> ranks_;  // (host, pid) -> rank
    std::map<std::string, Transports> transports_;          // by host
    std::map<std::string, std::string> environment_;
    std::map<int, Timeout> timeouts_;  // by rank, the first one
    std::set<std::string> versions_;
    std::set<std::string> gdr_disabled_;
    bool have_ib_devices_ = false;
    int max_num_ranks_ = 0;
};

/// "0-3,7" for a set of numbers.
std::string compact_list(const std::set<int>& numbers);

}  // namespace longhaul::probe
