// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule with unbuffered sends and says whether, and how well, it works.
#include <algorithm>
#include <set>

#include "lib/base/check.h"
#include "lib/parallel/action.h"

namespace longhaul::parallel {

namespace {

using Kind = Action::Kind;

class Simulator {
 public:
    Simulator(const Schedule& schedule, int pp, int num_stages, int num_micro_batches,
              const ActionCosts& costs)
        : schedule_(schedule),
          pp_(pp),
          num_stages_(num_stages),
          micro_batches_(num_micro_batches),
          costs_(costs),
          ranks_(schedule.size()) {}

    Verdict run() {
        for (bool moved = true; moved && verdict_.problem.empty();) {
            moved = false;
            for (size_t rank = 0; rank < ranks_.size(); ++rank) {
                while (verdict_.problem.empty() && step(rank)) moved = true;
            }
        }
        finish();
        return verdict_;
    }

 private:
    struct Rank {
        size_t next = 0;
        double time = 0, busy = 0;
        int in_flight = 0, peak = 0;
    };

    const Action* current(size_t rank) const {
        const auto& actions = schedule_[rank];
        return ranks_[rank].next < actions.size() ? &actions[ranks_[rank].next] : nullptr;
    }

    /// Runs the rank's next action if it can. @return false when it has to wait.
    bool step(size_t rank) {
        const Action* action = current(rank);
        if (action == nullptr) return false;
        if (action->stage % pp_ != static_cast<int>(rank)) {
            fail(rank, *action, "belongs to another rank");
            return false;
        }
        switch (action->kind) {
            case Kind::kSendForward:
                return pass(rank, *action, Kind::kRecvForward, 1);
            case Kind::kSendBackward:
                return pass(rank, *action, Kind::kRecvBackward, -1);
            case Kind::kRecvForward:
            case Kind::kRecvBackward:
                return false;  // moved by its sender
            case Kind::kReduceGrad:
                ++ranks_[rank].next;
                return true;
            default:
                compute(rank, *action);
                return verdict_.problem.empty();
        }
    }

    /// A send is done when the other rank stands at the matching receive.
    bool pass(size_t rank, const Action& send, Kind receive, int hop) {
        const Action wanted{receive, send.stage + hop, send.micro_batch};
        const auto peer = static_cast<size_t>((send.stage + hop + pp_) % pp_);
        const Action* other = current(peer);
        if (other == nullptr || *other != wanted) return false;
        const Kind source = hop > 0 ? Kind::kForward : Kind::kBackwardInput;
        if (!done_.contains({source, send.stage, send.micro_batch})) {
            fail(rank, send, "sends what was not computed");
            return false;
        }
        done_.insert(wanted);
        const double time = std::max(ranks_[rank].time, ranks_[peer].time);
        ranks_[rank].time = ranks_[peer].time = time;
        ++ranks_[rank].next;
        ++ranks_[peer].next;
        return true;
    }

    bool has_input(const Action& action) const {
        const auto local = [&](Kind kind, int stage) {
            return done_.contains({kind, stage, action.micro_batch});
        };
        switch (action.kind) {
            case Kind::kForward:
                if (action.stage == 0) return true;
                return pp_ == 1 ? local(Kind::kForward, action.stage - 1)
                                : local(Kind::kRecvForward, action.stage);
            case Kind::kBackwardInput:
                if (!local(Kind::kForward, action.stage)) return false;
                if (action.stage == num_stages_ - 1) return true;
                return pp_ == 1 ? local(Kind::kBackwardInput, action.stage + 1)
                                : local(Kind::kRecvBackward, action.stage);
            default:
                return local(Kind::kBackwardInput, action.stage);
        }
    }

    void compute(size_t rank, const Action& action) {
        if (!has_input(action)) return fail(rank, action, "has no input yet");
        if (!done_.insert(action).second) return fail(rank, action, "is done twice");
        Rank& state = ranks_[rank];
        double cost = costs_.backward_weight;
        if (action.kind == Kind::kForward) {
            cost = costs_.forward;
            state.peak = std::max(state.peak, ++state.in_flight);
        } else if (action.kind == Kind::kBackwardInput) {
            cost = costs_.backward_input;
        } else {
            --state.in_flight;
        }
        state.time += cost;
        state.busy += cost;
        ++state.next;
    }

    void fail(size_t rank, const Action& action, const char* why) {
        verdict_.problem = format("pipeline rank {}: {} {}", rank, to_text(action), why);
    }

    void finish() {
        double busy = 0;
        for (size_t rank = 0; rank < ranks_.size(); ++rank) {
            const Action* left = current(rank);
            if (left != nullptr && verdict_.problem.empty()) {
                fail(rank, *left, "waits for ever: deadlock");
            }
            busy += ranks_[rank].busy;
            verdict_.total_time = std::max(verdict_.total_time, ranks_[rank].time);
            verdict_.peak_in_flight.push_back(ranks_[rank].peak);
        }
        if (verdict_.total_time > 0) {
            verdict_.bubble = 1 - busy / (verdict_.total_time * static_cast<double>(ranks_.size()));
        }
        for (const Kind kind : {Kind::kForward, Kind::kBackwardInput, Kind::kBackwardWeight}) {
            for (int stage = 0; stage < num_stages_; ++stage) {
                for (int batch = 0; batch < micro_batches_; ++batch) {
                    const Action action{kind, stage, batch};
                    if (!verdict_.problem.empty() || done_.contains(action)) continue;
                    fail(static_cast<size_t>(stage % pp_), action, "is missing");
                }
            }
        }
    }

    const Schedule& schedule_;
    int pp_, num_stages_, micro_batches_;
    ActionCosts costs_;
    std::vector<Rank> ranks_;
    std::set<Action> done_;
    Verdict verdict_;
};

}  // namespace

Verdict simulate(const Schedule& lowered, int pp, int num_stages, int num_micro_batches,
                 const ActionCosts& costs) {
    LH_CHECK(static_cast<int>(lowered.size()) == pp, "a schedule of {} ranks for pp = {}",
             lowered.size(), pp);
    return Simulator(lowered, pp, num_stages, num_micro_batches, costs).run();
}

}  // namespace longhaul::parallel
