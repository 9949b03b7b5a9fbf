// SPDX-License-Identifier: BSD-3-Clause
// Generators of pipeline schedules and their lowering to sends and receives.
#include <algorithm>
#include <map>
#include <tuple>

#include "lib/base/check.h"
#include "lib/parallel/action.h"

namespace longhaul::parallel {

namespace {

using Kind = Action::Kind;

/// Which (stage, micro-batch) is the `k`-th forward or backward of a rank under interleaving.
/// Source: Narayanan et al., "Efficient large-scale language model training on GPU clusters using
/// Megatron-LM", SC'21, section 2.2.
struct Interleaving {
    int pp, chunks, rank;

    Action forward(int k) const { return at(Kind::kForward, k, chunk(k)); }
    Action backward(int k) const { return at(Kind::kBackwardInput, k, chunks - 1 - chunk(k)); }

    int chunk(int k) const { return chunks == 1 ? 0 : k % (pp * chunks) / pp; }
    Action at(Kind kind, int k, int chunk) const {
        if (chunks == 1) return {kind, rank, k};
        return {kind, chunk * pp + rank, k / (pp * chunks) * pp + k % pp};
    }
};

std::vector<Action> rank_actions(ScheduleKind kind, const Interleaving& order, int micro_batches) {
    const int total = micro_batches * order.chunks;
    int warm_up = 0;
    switch (kind) {
        case ScheduleKind::kAllForward:
            warm_up = total;
            break;
        case ScheduleKind::k1F1B:
            warm_up = order.pp - order.rank - 1;
            break;
        case ScheduleKind::kInterleaved:
            warm_up = 2 * (order.pp - order.rank - 1) + (order.chunks - 1) * order.pp;
            break;
    }
    warm_up = std::min(warm_up, total);
    std::vector<Action> actions;
    const auto add_backward = [&](int k) {
        Action action = order.backward(k);
        actions.push_back(action);
        action.kind = Kind::kBackwardWeight;
        actions.push_back(action);
    };
    for (int k = 0; k < warm_up; ++k) actions.push_back(order.forward(k));
    for (int k = warm_up; k < total; ++k) {
        actions.push_back(order.forward(k));
        add_backward(k - warm_up);
    }
    for (int k = total - warm_up; k < total; ++k) add_backward(k);
    return actions;
}

/// When each compute action could start and end if messages were buffered: the order in which
/// lowering places messages.
class Timeline {
 public:
    Timeline(const Schedule& compute, int num_stages) : num_stages_(num_stages) {
        std::vector<size_t> next(compute.size(), 0);
        std::vector<double> free_at(compute.size(), 0);
        starts_.resize(compute.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t rank = 0; rank < compute.size(); ++rank) {
                while (next[rank] < compute[rank].size() &&
                       place(compute[rank][next[rank]], rank, free_at[rank])) {
                    ++next[rank];
                    moved = true;
                }
            }
        }
        for (size_t rank = 0; rank < compute.size(); ++rank) {
            LH_CHECK(next[rank] == compute[rank].size(),
                     "schedule: action {} of pipeline rank {} never gets its input",
                     to_text(compute[rank][next[rank]]), rank);
        }
    }

    double start(size_t rank, size_t index) const { return starts_[rank][index]; }
    double end(const Action& action) const { return ends_.at(action); }

 private:
    /// The action whose result this one needs from another stage; none for the first and last.
    bool input_of(const Action& action, Action& input) const {
        input = action;
        if (action.kind == Kind::kForward) {
            --input.stage;
            return action.stage > 0;
        }
        if (action.kind != Kind::kBackwardInput) return false;
        if (action.stage == num_stages_ - 1) {
            input.kind = Kind::kForward;
        } else {
            ++input.stage;
        }
        return true;
    }

    bool place(const Action& action, size_t rank, double& free_at) {
        Action input;
        double start = free_at;
        if (input_of(action, input)) {
            const auto found = ends_.find(input);
            if (found == ends_.end()) return false;
            start = std::max(start, found->second);
        }
        starts_[rank].push_back(start);
        free_at = start + 1;
        ends_[action] = free_at;
        return true;
    }

    int num_stages_;
    std::vector<std::vector<double>> starts_;
    std::map<Action, double> ends_;
};

/// An action with its place in one order that all ranks share. A message has the same place on both
/// of its ranks, so the earliest unfinished one can always run: no deadlock, even unbuffered.
struct Placed {
    double time;
    int is_compute;  // messages first
    Action message;  // breaks ties alike on both ranks
    size_t index;
    Action action;
    bool operator<(const Placed& other) const {
        return std::tie(time, is_compute, message, index) <
               std::tie(other.time, other.is_compute, other.message, other.index);
    }
};

void place_messages(const Action& action, double time, int pp, int num_stages,
                    std::vector<std::vector<Placed>>& ranks) {
    const bool is_forward = action.kind == Kind::kForward;
    if (!is_forward && action.kind != Kind::kBackwardInput) return;
    const int to_stage = action.stage + (is_forward ? 1 : -1);
    if (to_stage < 0 || to_stage >= num_stages) return;
    const int from = action.stage % pp, to = to_stage % pp;
    if (from == to) return;
    const Action send{is_forward ? Kind::kSendForward : Kind::kSendBackward, action.stage,
                      action.micro_batch};
    const Action recv{is_forward ? Kind::kRecvForward : Kind::kRecvBackward, to_stage,
                      action.micro_batch};
    ranks[static_cast<size_t>(from)].push_back({time, 0, send, 0, send});
    ranks[static_cast<size_t>(to)].push_back({time, 0, send, 0, recv});
}

}  // namespace

Schedule generate(ScheduleKind kind, int pp, int chunks, int num_micro_batches) {
    LH_CHECK(pp >= 1 && chunks >= 1 && num_micro_batches >= 1,
             "schedule of {} ranks, {} chunks, {} micro-batches", pp, chunks, num_micro_batches);
    if (kind != ScheduleKind::kInterleaved && chunks != 1) {
        throw UsageError("only the interleaved schedule takes more than one stage a rank");
    }
    if (kind == ScheduleKind::kInterleaved && num_micro_batches % pp != 0) {
        throw UsageError(
            format("the interleaved schedule needs micro-batches in multiples of pp = "
                   "{}, not {}",
                   pp, num_micro_batches));
    }
    Schedule schedule;
    for (int rank = 0; rank < pp; ++rank) {
        schedule.push_back(rank_actions(kind, {pp, chunks, rank}, num_micro_batches));
    }
    return schedule;
}

Schedule lower(const Schedule& compute, int pp, int num_stages) {
    const Timeline timeline(compute, num_stages);
    std::vector<std::vector<Placed>> ranks(compute.size());
    for (size_t rank = 0; rank < compute.size(); ++rank) {
        for (size_t i = 0; i < compute[rank].size(); ++i) {
            const Action& action = compute[rank][i];
            ranks[rank].push_back({timeline.start(rank, i), 1, {}, i, action});
            place_messages(action, timeline.end(action), pp, num_stages, ranks);
        }
    }
    Schedule lowered;
    for (size_t rank = 0; rank < compute.size(); ++rank) {
        std::sort(ranks[rank].begin(), ranks[rank].end());
        std::vector<Action> actions;
        for (const Placed& placed : ranks[rank]) actions.push_back(placed.action);
        for (int stage = static_cast<int>(rank); stage < num_stages; stage += pp) {
            actions.push_back({Kind::kReduceGrad, stage, 0});
        }
        lowered.push_back(std::move(actions));
    }
    return lowered;
}

}  // namespace longhaul::parallel
