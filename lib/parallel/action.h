// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pipeline schedules as data: a list of actions per pipeline rank, made by pure generators, proven
// by simulate(), run by one loop.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::parallel {

struct Action {
    enum class Kind : uint8_t {
        kForward,         // F
        kBackwardInput,   // I
        kBackwardWeight,  // W
        kSendForward,     // activations to the next stage
        kRecvForward,
        kSendBackward,  // gradients to the previous stage
        kRecvBackward,
        kReduceGrad,  // sum the stage's gradients over the data ranks
    };
    Kind kind = Kind::kForward;
    int stage = 0;  // model chunk: stage s lives on pipeline rank s % pp
    int micro_batch = 0;
    auto operator<=>(const Action&) const = default;
};

/// One list per pipeline rank.
using Schedule = std::vector<std::vector<Action>>;

enum class ScheduleKind : uint8_t {
    kAllForward,   // all forwards, then all backwards (GPipe)
    k1F1B,         // one forward, one backward: at most pp - rank micro-batches in flight
    kInterleaved,  // 1F1B over `chunks` stages a rank
};

/// Compute actions only. @param chunks stages per rank (1 unless kInterleaved).
/// @throws UsageError for sizes that the schedule cannot take (kInterleaved: micro-batches that
/// are no multiple of pp).
Schedule generate(ScheduleKind kind, int pp, int chunks, int num_micro_batches);

/// Adds sends and receives between stages on different ranks, and the gradient reductions.
Schedule lower(const Schedule& compute, int pp, int num_stages);

/// "2F0": stage, kind, micro-batch, as PyTorch's schedule CSV writes them.
std::string to_text(const Action& action);
/// One line a rank, actions separated by commas.
std::string to_csv(const Schedule& schedule);
/// @throws DataError "SOURCE:LINE: ..."
Schedule from_csv(std::string_view csv, const std::string& source);

/// Relative durations for simulate().
struct ActionCosts {
    double forward = 1, backward_input = 1, backward_weight = 1;
};

struct Verdict {
    std::string problem;              // "" when all ranks came to the end
    double total_time = 0;            // in units of ActionCosts
    double bubble = 0;                // idle share of all ranks' time
    std::vector<int> peak_in_flight;  // per rank: micro-batches whose forward is kept
};

/// Runs a lowered schedule with unbuffered sends (a send ends with its receive), checks that every
/// action's inputs exist, that each stage does each micro-batch once in each kind, and that all
/// ranks finish.
Verdict simulate(const Schedule& lowered, int pp, int num_stages, int num_micro_batches,
                 const ActionCosts& costs = {});

}  // namespace longhaul::parallel
