// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/log_tracker.h"

#include <algorithm>

#include "lib/base/format.h"

namespace longhaul::probe {

namespace {

constexpr size_t kMaxEntries = 100'000;  // of every map: a hostile log must not take all memory
constexpr int kMaxRanks = 1'000'000;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

template <class Map, class Key>
typename Map::mapped_type* entry(Map& map, const Key& key) {
    const auto found = map.find(key);
    if (found != map.end()) return &found->second;
    return map.size() < kMaxEntries ? &map[key] : nullptr;
}

}  // namespace

std::string compact_list(const std::set<int>& numbers) {
    std::string text;
    for (auto it = numbers.begin(); it != numbers.end();) {
        const int first = *it;
        int last = first;
        while (++it != numbers.end() && *it == last + 1) last = *it;
        if (!text.empty()) text += ',';
        text += first == last ? format("{}", first) : format("{}-{}", first, last);
    }
    return text;
}

void LogTracker::add(const LogLine& line, std::string_view raw) {
    if (contains(raw, "NCCL version ") && versions_.size() < 100) {
        const std::string_view version = word_after(raw, "NCCL version ");
        // "NCCL version 2.26.2+cuda12.2" is the library; PyTorch repeats it without "+cuda".
        if (contains(version, "+cuda")) versions_.emplace(version);
    }
    if (line.level == LogLevel::kNone) {
        if (contains(raw, "Watchdog caught collective operation timeout")) add_watchdog(line, raw);
        return;
    }
    if (contains(line.message, " nranks ")) add_init(line);
    if (contains(line.message, " via ")) add_channel(line);
    if (contains(line.message, " set by environment to ")) add_environment(line);
    if (contains(line.message, "NET/IB : Using [0]")) have_ib_devices_ = true;
    if (contains(line.message, "GPU Direct RDMA Disabled") && gdr_disabled_.size() < kMaxEntries) {
        gdr_disabled_.emplace(line.host);
    }
}

void LogTracker::add_init(const LogLine& line) {
    const int64_t rank = number_after(line.message, " rank ");
    const int64_t num_ranks = number_after(line.message, " nranks ");
    if (rank < 0 || num_ranks < 1 || num_ranks > kMaxRanks || rank >= num_ranks) return;
    if (int* known = entry(ranks_, std::pair(std::string(line.host), line.pid))) {
        *known = static_cast<int>(rank);
    }
    max_num_ranks_ = std::max(max_num_ranks_, static_cast<int>(num_ranks));
    const bool is_start = contains(line.message, "Init START");
    const bool is_complete = contains(line.message, "Init COMPLETE");
    if (!is_start && !is_complete) return;
    std::string name(word_after(line.message, "commId "));
    if (name.empty()) name = format("of {} ranks", num_ranks);
    Communicator* communicator = entry(communicators_, name);
    if (communicator == nullptr || communicator->started.size() >= kMaxEntries) return;
    communicator->num_ranks = static_cast<int>(num_ranks);
    communicator->started.insert(static_cast<int>(rank));
    if (is_complete) communicator->completed.insert(static_cast<int>(rank));
}

void LogTracker::add_channel(const LogLine& line) {
    Transports* transports = entry(transports_, std::string(line.host));
    if (transports == nullptr) return;
    if (contains(line.message, "via NET/Socket")) ++transports->socket;
    if (contains(line.message, "via NET/IB")) {
        ++transports->ib;
        if (!contains(line.message, "/GDRDMA")) ++transports->ib_without_gdr;
    }
}

void LogTracker::add_environment(const LogLine& line) {
    constexpr std::string_view kSet = " set by environment to ";
    const size_t at = line.message.find(kSet);
    const std::string_view before = line.message.substr(0, at);
    const size_t blank = before.find_last_of(" \t");
    const std::string_view name =
        blank == std::string_view::npos ? before : before.substr(blank + 1);
    std::string_view value = line.message.substr(at + kSet.size());
    while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) value.remove_suffix(1);
    if (!value.empty() && value.back() == '.') value.remove_suffix(1);  // integers end in a dot
    if (name.empty() || environment_.size() >= 1000) return;
    environment_.emplace(name, value);
}

void LogTracker::add_watchdog(const LogLine& line, std::string_view raw) {
    const int64_t sequence = number_after(raw, "SeqNum=");
    if (line.rank < 0 || sequence < 0 || timeouts_.size() >= kMaxEntries) return;
    std::string_view operation = word_after(raw, "OpType=");
    operation = operation.substr(0, operation.find(','));
    Timeout& timeout = timeouts_[line.rank];
    if (timeout.sequence >= 0 && timeout.sequence <= sequence) return;
    timeout = {sequence, std::string(operation)};
}

int LogTracker::rank_of(const LogLine& line) const {
    if (line.rank >= 0 || line.host.empty()) return line.rank;
    const auto found = ranks_.find(std::pair(std::string(line.host), line.pid));
    return found == ranks_.end() ? -1 : found->second;
}

Environment LogTracker::environment() const {
    return {environment_.begin(), environment_.end()};
}

std::vector<TrackedFact> LogTracker::facts() const {
    std::vector<TrackedFact> facts;
    if (versions_.size() > 1) {
        std::string list;
        for (const std::string& version : versions_) list += (list.empty() ? "" : ", ") + version;
        facts.push_back({"nccl.version.mixed", RuleKind::kCause, "job",
                         "several NCCL libraries are loaded: " + list,
                         "pin one libnccl; compare /proc/PID/maps of two ranks"});
    }
    add_watchdog_facts(facts);
    add_init_facts(facts);
    add_transport_facts(facts);
    return facts;
}

void LogTracker::add_init_facts(std::vector<TrackedFact>& facts) const {
    for (const auto& [name, communicator] : communicators_) {
        std::set<int> waiting;
        std::set_difference(communicator.started.begin(), communicator.started.end(),
                            communicator.completed.begin(), communicator.completed.end(),
                            std::inserter(waiting, waiting.begin()));
        if (waiting.empty()) continue;
        std::set<int> absent;
        for (int rank = 0; rank < communicator.num_ranks && absent.size() < 64; ++rank) {
            if (communicator.started.count(rank) == 0) absent.insert(rank);
        }
        std::string evidence = format("communicator {}: ranks {} of {} began and never completed",
                                      name, compact_list(waiting), communicator.num_ranks);
        if (!absent.empty()) evidence += format("; no line of ranks {}", compact_list(absent));
        facts.push_back(
            {"nccl.init.incomplete", RuleKind::kSymptom,
             absent.empty() ? "ranks " + compact_list(waiting) : "ranks " + compact_list(absent),
             evidence,
             "look at the ranks without a line: they never came, or their log is "
             "missing here"});
    }
}

void LogTracker::add_transport_facts(std::vector<TrackedFact>& facts) const {
    for (const auto& [host, transports] : transports_) {
        if (transports.socket > 0) {
            facts.push_back(
                {"nccl.net.tcp", RuleKind::kSlow, "host " + host,
                 format("{} channels use NET/Socket (TCP){}", transports.socket,
                        have_ib_devices_ ? ", although RDMA devices were found" : ""),
                 "find out why RDMA is not used: NCCL_IB_DISABLE, NCCL_NET, /dev/infiniband in the "
                 "container (nccl-probe env, topo)"});
        }
        if (transports.ib_without_gdr > 0) {
            const bool said = gdr_disabled_.count(host) > 0;
            facts.push_back({"nccl.gdr.off", RuleKind::kSlow, "host " + host,
                             format("{} of {} NET/IB channels go through host memory{}",
                                    transports.ib_without_gdr, transports.ib,
                                    said ? "; NCCL says GPU Direct RDMA is disabled" : ""),
                             "load nvidia_peermem (after ib_core) or use a kernel with DMA-BUF; "
                             "check NCCL_NET_GDR_LEVEL and the PCIe distance of GPU and NIC"});
        }
    }
}

void LogTracker::add_watchdog_facts(std::vector<TrackedFact>& facts) const {
    if (timeouts_.empty()) return;
    const auto behind = std::min_element(
        timeouts_.begin(), timeouts_.end(),
        [](const auto& a, const auto& b) { return a.second.sequence < b.second.sequence; });
    const int64_t first = behind->second.sequence;
    std::set<int> at_first, all;
    int64_t last = first;
    for (const auto& [rank, timeout] : timeouts_) {
        all.insert(rank);
        if (timeout.sequence == first) at_first.insert(rank);
        last = std::max(last, timeout.sequence);
    }
    if (last != first) {
        facts.push_back({"nccl.watchdog.desync", RuleKind::kCause,
                         "ranks " + compact_list(at_first),
                         format("timed out in {} number {}, other ranks as late as number {}",
                                behind->second.operation, first, last),
                         "these ranks are behind: look at what they did before (data loader, "
                         "evaluation, checkpoint), or a collective is called under a condition"});
        return;
    }
    std::set<int> silent;
    const int num_ranks = std::max(max_num_ranks_, *all.rbegin() + 1);
    for (int rank = 0; rank < num_ranks && silent.size() < 64; ++rank) {
        if (all.count(rank) == 0) silent.insert(rank);
    }
    facts.push_back(
        {"nccl.watchdog.stalled", RuleKind::kSymptom,
         silent.empty() ? "all ranks" : "ranks " + compact_list(silent),
         format("{} ranks timed out in the same {} (number {}){}", all.size(),
                behind->second.operation, first,
                silent.empty() ? "" : format("; ranks {} did not", compact_list(silent))),
         silent.empty()
             ? "all wait for the network: nccl-probe pairs and counters name node or link"
             : "the ranks that did not time out never entered it: look at them first"});
}

}  // namespace longhaul::probe
