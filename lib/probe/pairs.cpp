// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/pairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/log/log.h"
#include "lib/probe/pair_exchange.h"
#include "lib/probe/schedule.h"

namespace longhaul::probe {

namespace {

// A follower waits for orders as long as the leader may need for rounds that do not concern it.
constexpr double kForOrders_s = 1e9;
constexpr double kGrace_s = 5;  // for reports to arrive after the exchange's own deadline

enum class OrderKind : int32_t { kExchange = 1, kStop = 2 };

/// From rank 0 to a rank. Plain data: it travels as bytes.
struct Order {
    OrderKind kind = OrderKind::kStop;
    int32_t peer = -1;
    int32_t is_initiator = 0;
    int32_t padding = 0;
    ExchangePlan plan;
};

ExchangeResult follow(Fabric& fabric, const Order& order) {
    return order.is_initiator != 0 ? exchange_as_initiator(fabric, order.peer, order.plan)
                                   : exchange_as_responder(fabric, order.peer, order.plan);
}

/// What all ranks but 0 do: take orders and report until told to stop.
void follow_orders(Fabric& fabric) {
    for (;;) {
        Order order;
        if (!receive_value(fabric, order, 0, kForOrders_s)) {
            throw CommError("rank 0 gave no orders any more");
        }
        if (order.kind == OrderKind::kStop) return;
        ExchangeResult result = follow(fabric, order);
        if (!send_value(fabric, result, 0, kForOrders_s)) {
            throw CommError("rank 0 does not take the report");
        }
    }
}

/// Rank 0: runs rounds over the members and remembers who fell silent.
class Leader {
 public:
    Leader(Fabric& fabric, const Members& members, const PairOptions& options)
        : fabric_(fabric), members_(members) {
        plan_.message_bytes = options.message_bytes;
        plan_.iterations = options.iterations;
        plan_.latency_iterations = options.latency_iterations;
        plan_.deadline_s = options.deadline_s;
    }

    /// One sample for each pair of the round.
    std::vector<PairSample> run(const Round& round) {
        std::vector<std::pair<int, int>> expected;  // rank, index into samples
        std::vector<PairSample> samples;
        std::vector<std::pair<Order, size_t>> own;
        for (const auto& [a, b] : round) {
            PairSample sample{a, b};
            sample.is_missing = true;
            samples.push_back(sample);
            if (is_silent(a) || is_silent(b)) continue;
            for (const int member : {a, b}) {
                Order order{OrderKind::kExchange, rank_of(member == a ? b : a), member == a, 0,
                            plan_};
                if (rank_of(member) == 0) {
                    own.emplace_back(order, samples.size() - 1);
                } else if (send_value(fabric_, order, rank_of(member), kGrace_s)) {
                    expected.emplace_back(member, static_cast<int>(samples.size()) - 1);
                } else {
                    silent_.insert(member);
                }
            }
        }
        for (const auto& [order, index] : own) {
            take(follow(fabric_, order), order.is_initiator != 0, samples[index]);
        }
        collect(expected, samples);
        return samples;
    }

    void stop() {
        for (int rank = 1; rank < fabric_.size(); ++rank) {
            Order order;
            const auto member = std::find(members_.ranks.begin(), members_.ranks.end(), rank);
            const bool skip = member != members_.ranks.end() &&
                              is_silent(static_cast<int>(member - members_.ranks.begin()));
            if (!skip) send_value(fabric_, order, rank, kGrace_s);
        }
    }

    /// Members that stopped answering.
    std::vector<int> silent() const { return {silent_.begin(), silent_.end()}; }

 private:
    int rank_of(int member) const { return members_.ranks[static_cast<size_t>(member)]; }
    bool is_silent(int member) const { return silent_.count(member) > 0; }

    static void take(const ExchangeResult& result, bool is_initiator, PairSample& sample) {
        if (result.is_wrong_data != 0) sample.is_wrong_data = true;
        if (!is_initiator || result.is_complete == 0) return;
        sample.is_missing = false;
        sample.a_to_b_gb_per_s = result.there_gb_per_s;
        sample.b_to_a_gb_per_s = result.back_gb_per_s;
        sample.latency_us = result.latency_us;
        sample.noise = result.noise;
    }

    /// All wait at once, so the first report gets the whole deadline and the others only grace.
    void collect(const std::vector<std::pair<int, int>>& expected,
                 std::vector<PairSample>& samples) {
        double patience_s = plan_.deadline_s + kGrace_s;
        for (const auto& [member, index] : expected) {
            PairSample& sample = samples[static_cast<size_t>(index)];
            ExchangeResult result;
            if (receive_value(fabric_, result, rank_of(member), patience_s)) {
                take(result, member == sample.a, sample);
            } else {
                silent_.insert(member);
                patience_s = kGrace_s;
            }
        }
    }

    Fabric& fabric_;
    const Members& members_;
    ExchangePlan plan_;
    std::set<int> silent_;
};

/// A pair that timed out because of its silent partner says nothing about the other end.
void measure_all(Leader& leader, int num_members, PairMatrix& matrix) {
    const std::vector<Round> rounds = round_robin(num_members);
    matrix.rounds = static_cast<int>(rounds.size());
    for (size_t i = 0; i < rounds.size(); ++i) {
        log::debug("round {} of {}: {} pairs", i + 1, rounds.size(), rounds[i].size());
        for (const PairSample& sample : leader.run(rounds[i])) matrix.pairs.push_back(sample);
    }
}

void retest_suspects(Leader& leader, const PairOptions& options, PairMatrix& matrix) {
    const auto most = static_cast<size_t>(std::max(0, options.max_retests));
    for (const size_t index : suspects(matrix, options.limits, most)) {
        PairSample& sample = matrix.pairs[index];
        const PairSample alone = leader.run({{sample.a, sample.b}}).front();
        if (!alone.is_missing) sample.alone_gb_per_s = alone.gb_per_s();
        sample.is_wrong_data = sample.is_wrong_data || alone.is_wrong_data;
    }
}

}  // namespace

Members choose_members(const std::vector<RankInfo>& ranks, const std::string& unit) {
    std::map<std::string, int> num_on_host;
    for (const RankInfo& rank : ranks) ++num_on_host[rank.host];
    Members members;
    members.unit = unit == "auto" ? (num_on_host.size() > 1 ? "host" : "rank") : unit;
    if (members.unit != "host" && members.unit != "rank") {
        throw UsageError(format("unknown unit {}: host, rank or auto", unit));
    }
    std::set<std::string> seen;
    for (const RankInfo& rank : ranks) {
        if (members.unit == "host" && !seen.insert(rank.host).second) continue;
        members.ranks.push_back(rank.rank);
        members.names.push_back(members.unit == "host" ? rank.host
                                                       : format("{}@{}", rank.rank, rank.host));
    }
    return members;
}

PairMatrix measure_pairs(Fabric& fabric, const PairOptions& options) {
    PairMatrix matrix;
    const std::vector<RankInfo> ranks = gather_ranks(fabric);
    if (fabric.rank() != 0) {
        follow_orders(fabric);
        return matrix;
    }
    const Members members = choose_members(ranks, options.unit);
    matrix.unit = members.unit;
    matrix.members = members.names;
    matrix.message_bytes = options.message_bytes;
    Leader leader(fabric, members, options);
    const int num_members = static_cast<int>(members.ranks.size());
    measure_all(leader, num_members, matrix);
    if (num_members > 2) retest_suspects(leader, options, matrix);
    leader.stop();
    matrix.silent = leader.silent();
    return matrix;
}

}  // namespace longhaul::probe
